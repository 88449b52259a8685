"""How Alembic runs our scripts: on the connection that `api.store.migrate` holds, in its transaction."""

from alembic import context

context.configure(connection=context.config.attributes["connection"], transaction_per_migration=False)
context.run_migrations()
