"""What a role covers, held against what its rules allow one by one."""

from itertools import product

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given
from hypothesis import strategies as st

from cluster.apiserver.access import service_accounts
from cluster.apiserver.access.identity import Identity
from cluster.apiserver.access.rbac import Rbac
from cluster.apiserver.access.rules import Attributes, Rule, uncovered
from cluster.apiserver.access.service_accounts import ISSUER, BadToken, ServiceAccounts
from cluster.apiserver.storage.records import record_of
from cluster.apiserver.types import Json

VERBS, GROUPS, NAMES = ["get", "list"], ["", "g"], ["a", "b"]
RESOURCES = ["x", "x/status", "y"]
PATHS = ["/logs", "/logs/a", "/metrics"]


def some(values: list[str], *wild: str) -> st.SearchStrategy[frozenset[str]]:
    return st.frozensets(st.sampled_from([*values, *wild]), min_size=1, max_size=2)


OF_RESOURCES = st.builds(
    Rule,
    some(VERBS, "*"),
    some(GROUPS, "*"),
    some(RESOURCES, "*", "*/status"),
    st.frozensets(st.sampled_from(NAMES), max_size=2),
)
OF_PATHS = st.builds(lambda verbs, paths: Rule(verbs, paths=paths), some(VERBS, "*"), some(PATHS, "*", "/logs/*"))
RULES = st.lists(OF_RESOURCES | OF_PATHS, max_size=3)
EVERYTHING = [
    *(
        Attributes(v, g, r, name=n)
        for v, g, r, n in product([*VERBS, "other"], [*GROUPS, "h"], RESOURCES, [*NAMES, ""])
    ),
    *(Attributes(verb, path=path) for verb, path in product(VERBS, [*PATHS, "/logs/a/b", "/other"])),
]


def allowed(rules: list[Rule]) -> set[Attributes]:
    return {wanted for wanted in EVERYTHING if any(rule.allows(wanted) for rule in rules)}


@given(RULES, RULES)
def test_who_covers_a_role_may_do_all_that_it_allows(held: list[Rule], wanted: list[Rule]) -> None:
    if not uncovered(wanted, held):
        assert allowed(wanted) <= allowed(held)


@given(RULES)
def test_a_role_covers_itself(rules: list[Rule]) -> None:
    assert uncovered(rules, rules) == []


@given(RULES)
def test_nothing_covers_nothing_but_nothing(rules: list[Rule]) -> None:
    assert bool(uncovered(rules, [])) == bool(rules)


def stored(name: str, namespace: str, **content: object) -> Json:
    metadata = {"name": name, "uid": name} | ({"namespace": namespace} if namespace else {})
    return {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "any", "metadata": metadata, **content}


def test_a_binding_of_a_namespace_binds_there_alone_and_only_while_it_is_there() -> None:
    rbac = Rbac()
    rules = [{"apiGroups": [""], "resources": ["x"], "verbs": ["get"]}]
    role = record_of(stored("r", "", rules=rules), 1)
    reference = {"kind": "ClusterRole", "name": "r"}
    subjects = [{"kind": "User", "name": "u"}, {"kind": "User", "name": "u"}]
    binding = record_of(stored("b", "ns", roleRef=reference, subjects=subjects), 2)
    rbac.learn("clusterroles.rbac.authorization.k8s.io", role)
    rbac.learn("rolebindings.rbac.authorization.k8s.io", binding)
    who = Identity("u")
    assert rbac.decide(who, Attributes("get", "", "x", "ns")).allowed
    assert not rbac.decide(who, Attributes("get", "", "x", "other")).allowed
    assert not rbac.decide(who, Attributes("get", "", "x")).allowed
    rbac.forget("rolebindings.rbac.authorization.k8s.io", binding.key)
    assert not rbac.decide(who, Attributes("get", "", "x", "ns")).allowed


@pytest.fixture(scope="module")
def key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def test_tokens_of_other_keys_and_algorithms_name_nobody(key: ec.EllipticCurvePrivateKey) -> None:
    accounts = ServiceAccounts(key, lambda _: "u")
    token = accounts.issue(("ns", "a"), "u", [ISSUER], 600).token
    claims = jwt.decode(token, options={"verify_signature": False})
    pem = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    for forged in (
        jwt.encode(claims, ec.generate_private_key(ec.SECP256R1()), algorithm="ES256"),
        jwt.encode(claims, "", algorithm="none"),
        jwt.encode({**claims, "iss": "https://elsewhere"}, key, algorithm="ES256"),
        jwt.encode(claims, pem.hex(), algorithm="HS256"),
    ):
        with pytest.raises(BadToken):
            accounts.identify(forged, [ISSUER])


@pytest.mark.parametrize(("ahead", "good"), [(0, True), (650, True), (700, False), (-30, True), (-90, False)])
def test_a_token_lasts_as_long_as_it_says(
    key: ec.EllipticCurvePrivateKey, monkeypatch: pytest.MonkeyPatch, ahead: int, good: bool
) -> None:
    accounts = ServiceAccounts(key, lambda _: "u")
    issued = accounts.issue(("ns", "a"), "u", [ISSUER], 600)
    monkeypatch.setattr(service_accounts, "_now", lambda: issued.expires - 600 + ahead)
    try:
        accounts.identify(issued.token, [ISSUER])
    except BadToken:
        assert not good
    else:
        assert good
