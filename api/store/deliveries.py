"""Queries about webhook deliveries."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from api.store.tables import Delivery


def seen(session: Session, tokens: Collection[bytes], not_before: datetime) -> bool:
    """Whether any of these was taken since then."""
    query = select(Delivery.token).where(Delivery.token.in_(tokens), Delivery.seen_at >= not_before).limit(1)
    return session.scalar(query) is not None


def remember(session: Session, tokens: Collection[bytes], at: datetime, not_before: datetime) -> None:
    session.execute(delete(Delivery).where(Delivery.seen_at < not_before))
    for token in tokens:
        session.merge(Delivery(token=token, seen_at=at))
