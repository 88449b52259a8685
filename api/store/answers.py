"""Queries about kept answers."""

from datetime import datetime

from sqlalchemy import Connection, delete, insert, select
from sqlalchemy.exc import IntegrityError

from api.store.rows import KeptAnswer
from api.store.tables import kept_answers as table


def find(connection: Connection, lookup: bytes, not_before: datetime) -> KeptAnswer | None:
    query = select(table).where(table.c.lookup == lookup, table.c.created_at >= not_before)
    row = connection.execute(query).first()
    return KeptAnswer(**row._mapping) if row is not None else None


def keep(connection: Connection, answer: KeptAnswer, not_before: datetime) -> None:
    """The first one wins; those too old are dropped on the way."""
    connection.execute(delete(table).where(table.c.created_at < not_before))
    try:
        with connection.begin_nested():
            connection.execute(insert(table), answer.values())
    except IntegrityError:
        # A twin on another replica was quicker; its answer stands.
        return
