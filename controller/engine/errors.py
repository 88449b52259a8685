"""The two ways in which a reconciler may end early; no other exception of ours crosses it."""


class NotYet(Exception):
    """Something is not there yet. Says what, and after how many seconds to look again if no event comes before."""

    def __init__(self, reason: str, message: str, again_in: float = 30.0):
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.again_in = again_in


class Terminal(Exception):
    """Only an edit of the record can help. Says what is wrong and how to mend it."""

    def __init__(self, reason: str, message: str):
        super().__init__(message)
        self.reason = reason
        self.message = message
