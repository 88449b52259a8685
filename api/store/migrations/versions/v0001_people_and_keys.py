"""People, memberships, keys; kept answers and deliveries seen."""

import sqlalchemy as sa
from alembic import op

revision = "v0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "users",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("email", sa.String(320), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_users"),
        sa.UniqueConstraint("email", name="uq_users_email"),
    )
    op.create_table(
        "memberships",
        sa.Column("user_id", sa.String(32), nullable=False),
        sa.Column("account_id", sa.String(32), nullable=False),
        sa.Column("role", sa.String(20), nullable=False),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("user_id", "account_id", name="pk_memberships"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_memberships_user_id", ondelete="CASCADE"),
    )
    op.create_index("ix_memberships_account_id", "memberships", ["account_id"])
    op.create_table(
        "api_keys",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("account_id", sa.String(32), nullable=False),
        sa.Column("created_by", sa.String(32), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("scope", sa.String(10), nullable=False),
        sa.Column("prefix", sa.String(16), nullable=False),
        sa.Column("hash", sa.LargeBinary(32), nullable=False),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.Column("expires_at", sa.DateTime, nullable=True),
        sa.Column("last_used_at", sa.DateTime, nullable=True),
        sa.Column("revoked_at", sa.DateTime, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_api_keys"),
        sa.UniqueConstraint("hash", name="uq_api_keys_hash"),
        sa.ForeignKeyConstraint(["created_by"], ["users.id"], name="fk_api_keys_created_by", ondelete="CASCADE"),
    )
    for column in ("account_id", "created_by", "prefix"):
        op.create_index(f"ix_api_keys_{column}", "api_keys", [column])
    op.create_table(
        "kept_answers",
        sa.Column("lookup", sa.LargeBinary(32), nullable=False),
        sa.Column("fingerprint", sa.LargeBinary(32), nullable=False),
        sa.Column("salt", sa.LargeBinary(16), nullable=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("lookup", name="pk_kept_answers"),
    )
    op.create_index("ix_kept_answers_created_at", "kept_answers", ["created_at"])
    op.create_table(
        "webhook_deliveries",
        sa.Column("token", sa.LargeBinary(32), nullable=False),
        sa.Column("seen_at", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("token", name="pk_webhook_deliveries"),
    )
    op.create_index("ix_webhook_deliveries_seen_at", "webhook_deliveries", ["seen_at"])


def downgrade() -> None:
    for table in ("webhook_deliveries", "kept_answers", "api_keys", "memberships", "users"):
        op.drop_table(table)
