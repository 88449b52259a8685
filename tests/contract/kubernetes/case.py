"""A case: a function that speaks with whatever API it is given, and asserts nothing."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import ModuleType

from tests.contract.kubernetes.conversation import Conversation

Speak = Callable[[Conversation], None]


@dataclass(frozen=True)
class Case:
    """`name`: of its snapshot, too."""

    name: str
    speak: Speak


def cases_of(modules: Iterable[ModuleType]) -> list[Case]:
    """Every public function that the modules themselves define."""
    found = []
    for module in modules:
        topic = module.__name__.rpartition(".")[2]
        for name, value in vars(module).items():
            if callable(value) and not name.startswith("_") and getattr(value, "__module__", "") == module.__name__:
                found.append(Case(f"{topic}-{name}".replace("_", "-"), value))
    return found
