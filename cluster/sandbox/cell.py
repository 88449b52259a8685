"""Into what a sandbox is put beside its view of files: a network, and a group that limits what it uses."""

from dataclasses import dataclass

from cluster.fabric.entry import Entry
from cluster.limits.group import Group


@dataclass(frozen=True)
class Cell:
    """None: the machine's network; no limits but the view's own."""

    room: Entry | None = None
    group: Group | None = None

    def leave(self) -> None:
        """When nothing of the sandbox is left."""
        if self.room is not None:
            self.room.close()
        if self.group is not None:
            self.group.remove()


OPEN = Cell()
