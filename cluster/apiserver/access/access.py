"""The one place to ask who somebody is and what they may do."""

from dataclasses import dataclass

from cluster.apiserver.access.identity import Identity
from cluster.apiserver.access.rbac import Decision, Rbac
from cluster.apiserver.access.rules import Attributes
from cluster.apiserver.access.service_accounts import ISSUER, BadToken, NotMeant, ServiceAccounts
from cluster.apiserver.access.token_file import TokenFile

AUDIENCES = [ISSUER]


@dataclass(frozen=True)
class Access:
    tokens: TokenFile
    accounts: ServiceAccounts
    rbac: Rbac

    def identify(self, token: str) -> Identity | None:
        try:
            return self.review(token, AUDIENCES)[0]
        except BadToken:
            return None

    def review(self, token: str, audiences: list[str]) -> tuple[Identity, list[str]]:
        """Whose token it is, and for which of the audiences. Raises BadToken."""
        known = self.tokens.identify(token)
        if known is not None:
            meant = [audience for audience in audiences if audience in AUDIENCES]
            if not meant:
                raise NotMeant(AUDIENCES, audiences)
            return known, meant
        return self.accounts.identify(token, audiences)

    def decide(self, identity: Identity, wanted: Attributes) -> Decision:
        return self.rbac.decide(identity, wanted)

    def allows(self, identity: Identity, wanted: Attributes) -> bool:
        return self.rbac.decide(identity, wanted).allowed
