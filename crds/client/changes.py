"""Which changes of a record matter to whom: (old, new), None for what was not there, or is no more."""

from crds.models.record import Record


def any_change(_old: Record | None, _new: Record | None) -> bool:
    return True


def appeared_or_gone(old: Record | None, new: Record | None) -> bool:
    """It was made, is being deleted, or is no more."""
    return old is None or new is None or old.uid != new.uid or old.deleting != new.deleting


def spec_or_metadata(old: Record | None, new: Record | None) -> bool:
    """Anything but its status: what a writer of the status need not be woken for."""
    if old is None or new is None or appeared_or_gone(old, new):
        return True
    was, now = old.metadata, new.metadata
    return was.generation != now.generation or (was.labels, was.annotations, was.finalizers, was.owner_references) != (
        now.labels,
        now.annotations,
        now.finalizers,
        now.owner_references,
    )
