"""How a build ends that does not succeed."""


class BuildFailed(Exception):
    """For good: `reason` is a word for programs, the message a sentence for people (no output of the tenant)."""

    def __init__(self, reason: str, message: str):
        super().__init__(message)
        self.reason = reason
        self.message = message


class BuildInterrupted(Exception):
    """Somebody else ended it (a signal from outside): the same build may well succeed when it is tried again."""
