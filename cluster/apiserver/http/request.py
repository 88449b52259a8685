"""A request as the handlers see it."""

from urllib.parse import parse_qsl

from cluster.apiserver.access.identity import Identity

TRUE = frozenset({"true", "1", "True", "TRUE", "t", "T"})
FALSE = frozenset({"", "false", "0", "False", "FALSE", "f", "F"})


class Request:
    """Headers are lower case; of a repeated query parameter the first counts."""

    __slots__ = ("body", "headers", "identity", "method", "path", "query", "warnings")

    def __init__(
        self, method: str, path: str, query: bytes, headers: dict[str, str], body: bytes, identity: Identity
    ) -> None:
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
        self.identity = identity
        self.query: dict[str, str] = {}
        if query:
            for name, value in parse_qsl(query.decode("latin-1"), keep_blank_values=True):
                self.query.setdefault(name, value)
        self.warnings: list[str] = []

    def flag(self, name: str) -> bool:
        return self.query.get(name, "") in TRUE

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def manager(self) -> str:
        """Who is noted as the owner of fields: fieldManager, else the first word of the user agent."""
        named = self.query.get("fieldManager")
        return named or self.headers.get("user-agent", "unknown").partition("/")[0][:128] or "unknown"
