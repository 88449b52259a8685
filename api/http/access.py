"""Who calls, in which account, with which scope."""

from api.http.call import Call
from api.http.ratelimit import RateLimit
from api.identity.credentials import Credential
from api.identity.scopes import Scope, includes, scope_in, smaller
from api.platform import Platform
from api.problems import Problem, not_found, unauthenticated, unavailable
from api.records.cache import Records
from crds.models.account import Account
from crds.names import record_id, uid_of

_MOST_PARENTS = 10


class Access:
    """Authenticates and authorises a call by its bearer key."""

    def __init__(self, platform: Platform):
        self._records = platform.records
        self._credentials = platform.credentials
        self._ready = platform.ready
        self._by_key = RateLimit(platform.config.rate_per_minute, "requests")
        self._by_address = RateLimit(platform.config.rate_per_minute, "unknown-credentials")

    async def authenticate(self, call: Call) -> None:
        """401 for no or an unknown key, 429 for a known one that calls too often."""
        scheme, _, key = call.header(b"authorization").partition(" ")
        if scheme.lower() != "bearer" or not key:
            raise unauthenticated("Send an API key: the header Authorization: Bearer sk_...")
        credential = self._credentials.remembered(key)
        if credential is None:
            # Whoever guesses pays per address, before the store is asked.
            self._by_address.take(call.address)
            credential = await self._credentials.look_up(key)
        if credential is None:
            raise unauthenticated("This API key is not known, or no longer in force.")
        call.credential = credential
        call.limit_headers = self._by_key.take(credential.id)

    def authorise(self, call: Call) -> None:
        """Finds the account in which the call acts; 403 when the scope there is too small for the row."""
        if not self._ready():
            raise unavailable("The service is starting: its view of the records is not complete yet.", 1)
        account = self._account(call)
        held = scope_of(call.credential, account, self._records)
        if held is None:
            raise not_found() if call.header(b"setpoint-account") else unauthenticated("This key's account is gone.")
        call.account = account
        needed: Scope = call.endpoint.access  # type: ignore[assignment]  # rows that need a credential name a scope
        if not includes(held, needed):
            raise Problem("insufficient_scope", f"This needs the scope {needed}; the credential has {held}.")

    def _account(self, call: Call) -> Account:
        handle = call.header(b"setpoint-account")
        if handle:
            account = self._records.account_of(handle)
            if account is None:
                raise not_found()
            return account
        uid = uid_of("acc", call.credential.account_id)
        account = self._records.accounts.by_uid(uid) if uid else None
        if account is None:
            raise unauthenticated("The account of this API key is gone.")
        return account


def scope_of(credential: Credential, account: Account, records: Records) -> Scope | None:
    """What the key's maker may in this account, and no more than the key says; None: nothing.

    A key acts in its own account and, for owners and admins, in those below it."""
    chain = _chain(account, records)
    if credential.account_id not in chain:
        return None
    role = scope_in(chain, credential.roles)
    return None if role is None else smaller(role, credential.scope)


def _chain(account: Account, records: Records) -> list[str]:
    """The ids of the account, its parent, and so on."""
    chain: list[str] = []
    above: Account | None = account
    while above is not None and len(chain) < _MOST_PARENTS:
        chain.append(record_id("acc", above.uid))
        above = records.account_of(above.spec.parent) if above.spec.parent else None
    return chain
