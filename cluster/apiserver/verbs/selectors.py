"""Label and field selectors as functions of a record."""

import re
from collections.abc import Callable, Mapping

from cluster.apiserver.errors import bad_request
from cluster.apiserver.kinds.model import Resource, Target
from cluster.apiserver.storage.records import Record
from cluster.apiserver.verbs.views import object_in

Labels = Mapping[str, str]
LabelTest = Callable[[Labels], bool]
Matcher = Callable[[Record], bool]

REQUIREMENT = re.compile(
    r"\s*(?:(?P<no>!)\s*(?P<absent>[^\s,=!<>()]+)"
    r"|(?P<key>[^\s,=!<>()]+)\s*(?:(?P<op>==|=|!=|>|<)\s*(?P<value>[^\s,=!<>()]*)"
    r"|\s(?P<set>in|notin)\s*\((?P<values>[^()]*)\))?)\s*(?:,|$)"
)
FIELD = re.compile(r"\s*(?P<key>[^=!,\s]+)\s*(?P<op>==|=|!=)\s*(?P<value>(?:\\.|[^,\\])*)(?:,|$)")
EQUAL = {"=", "=="}


def matcher_of(target: Target, query: Mapping[str, str], name: str = "") -> Matcher | None:
    """What a list or watch is narrowed to, None for everything. Raises 400 for a selector that is not supported."""
    tests: list[Matcher] = []
    if name:
        tests.append(lambda record: record.name == name)
    if query.get("labelSelector"):
        labels = label_tests(query["labelSelector"])
        tests.append(lambda record: all(test(record.labels) for test in labels))
    if query.get("fieldSelector"):
        tests.append(_fields(target, query["fieldSelector"]))
    if not tests:
        return None
    return tests[0] if len(tests) == 1 else lambda record: all(test(record) for test in tests)


def label_tests(selector: str) -> list[LabelTest]:
    # One space says as much as a thousand, over which the expression would go back and forth.
    selector = " ".join(selector.split())
    tests: list[LabelTest] = []
    position = 0
    while position < len(selector):
        match = REQUIREMENT.match(selector, position)
        if match is None or match.end() == position:
            raise bad_request(f"unable to parse requirement: {selector[position:]!r}")
        tests.append(_label_test(match))
        position = match.end()
    return tests


def _label_test(match: re.Match[str]) -> LabelTest:
    key = match["absent"] or match["key"]
    if match["no"]:
        return lambda labels: key not in labels
    if match["set"]:
        values = frozenset(value.strip() for value in match["values"].split(","))
        if match["set"] == "in":
            return lambda labels: labels.get(key) in values
        return lambda labels: labels.get(key) not in values
    operator, value = match["op"], match["value"]
    if operator is None:
        return lambda labels: key in labels
    if operator in EQUAL:
        return lambda labels: labels.get(key) == value
    if operator == "!=":
        return lambda labels: labels.get(key) != value
    return _ordered(key, operator, value)


def _ordered(key: str, operator: str, value: str) -> LabelTest:
    try:
        bound = int(value)
    except ValueError as error:
        raise bad_request(f"for 'Gt', 'Lt' operators, the value must be an integer: {value!r}") from error

    def test(labels: Labels) -> bool:
        try:
            number = int(labels[key])
        except (KeyError, ValueError):
            return False
        return number > bound if operator == ">" else number < bound

    return test


def field_terms(selector: str) -> list[tuple[str, bool, str]]:
    """(field, is it "equals", value) for each term."""
    terms: list[tuple[str, bool, str]] = []
    position = 0
    while position < len(selector):
        match = FIELD.match(selector, position)
        if match is None:
            raise bad_request(f"invalid selector: {selector!r}; can't understand {selector[position:]!r}")
        terms.append((match["key"], match["op"] in EQUAL, re.sub(r"\\(.)", r"\1", match["value"])))
        position = match.end()
    return terms


def _fields(target: Target, selector: str) -> Matcher:
    tests = [_field_test(target, *term) for term in field_terms(selector)]
    return lambda record: all(test(record) for test in tests)


def _field_test(target: Target, field: str, equals: bool, value: str) -> Matcher:
    if field == "metadata.name":
        return lambda record: (record.name == value) is equals
    if field == "metadata.namespace":
        return lambda record: (record.namespace == value) is equals
    if field not in _supported(target.resource):
        raise bad_request(f"field label not supported: {field}")
    strategy = target.resource.strategy
    return lambda record: (strategy.selectable(object_in(record, target), field) == value) is equals


def _supported(resource: Resource) -> tuple[str, ...]:
    return resource.strategy.selectable_fields
