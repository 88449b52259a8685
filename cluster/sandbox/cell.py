"""Into what a sandbox is put beside its view of files: a network, a group that limits what it uses, and what it may
do in a network that others have, too."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Self

from cluster.fabric.entry import Entry
from cluster.limits.group import Group
from cluster.sandbox.confinement import Confinement


@dataclass(frozen=True)
class Cell:
    """None: the machine's network; no limits but the view's own; our own user. The confinement holds where the kernel
    can. `uid`: a user that only root can become."""

    room: Entry | None = None
    group: Group | None = None
    confinement: Confinement = field(default_factory=Confinement)
    uid: int | None = None

    def reaching(self, ports: Iterable[int]) -> Self:
        """The same, and these TCP ports can be connected to."""
        return replace(self, confinement=self.confinement.reaching(ports))

    def leave(self) -> None:
        """When nothing of the sandbox is left."""
        if self.room is not None:
            self.room.close()
        if self.group is not None:
            self.group.remove()


OPEN = Cell()
