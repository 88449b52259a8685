"""Queries about kept answers."""

from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from api.store.tables import KeptAnswer


def find(session: Session, lookup: bytes, not_before: datetime) -> KeptAnswer | None:
    query = select(KeptAnswer).where(KeptAnswer.lookup == lookup, KeptAnswer.created_at >= not_before)
    return session.scalar(query)


def keep(session: Session, answer: KeptAnswer, not_before: datetime) -> None:
    """The first one wins; those too old are dropped on the way."""
    session.execute(delete(KeptAnswer).where(KeptAnswer.created_at < not_before))
    try:
        with session.begin_nested():
            session.add(answer)
    except IntegrityError:
        # A twin on another replica was quicker; its answer stands.
        return
