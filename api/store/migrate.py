"""Brings the schema to its head. A store that is there already costs one query; Alembic is not even imported."""

from pathlib import Path

from sqlalchemy import Connection, inspect, text

from api.store.database import is_sqlite, open_engine

HEAD = "v0001"
_SCRIPTS = Path(__file__).parent / "migrations"
_LOCK_NUMBER = 0x5E7901  # any number: that of our advisory lock in PostgreSQL


def migrate(url: str) -> None:
    """Safe to call by several processes at once, and again."""
    engine = open_engine(url)
    try:
        with engine.connect() as connection:
            if _current(connection) == HEAD:
                return
        with engine.connect() as connection:
            connection.exec_driver_sql(
                "BEGIN IMMEDIATE" if is_sqlite(url) else f"SELECT pg_advisory_lock({_LOCK_NUMBER})"
            )
            if _current(connection) != HEAD:
                _upgrade(connection)
            connection.commit()
    finally:
        engine.dispose()


def _current(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def _upgrade(connection: Connection) -> None:
    # Imported here because only a new or an older store needs it.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
