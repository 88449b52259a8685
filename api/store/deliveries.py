"""Queries about webhook deliveries."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import Connection, delete, insert, or_, select

from api.store.tables import webhook_deliveries as table


def seen(connection: Connection, tokens: Collection[bytes], not_before: datetime) -> bool:
    """Whether any of these was taken since then."""
    query = select(table.c.token).where(table.c.token.in_(tokens), table.c.seen_at >= not_before).limit(1)
    return connection.scalar(query) is not None


def remember(connection: Connection, tokens: Collection[bytes], at: datetime, not_before: datetime) -> None:
    connection.execute(delete(table).where(or_(table.c.seen_at < not_before, table.c.token.in_(tokens))))
    connection.execute(insert(table), [{"token": token, "seen_at": at} for token in set(tokens)])
