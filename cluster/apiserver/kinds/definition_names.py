"""The names of a definition, one by one, and that of its group."""

import re

from cluster.apiserver.errors import FieldError, field_invalid, field_required
from cluster.apiserver.kinds.names import SUBDOMAIN, SUBDOMAIN_RULE
from cluster.apiserver.types import Json

LABEL = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")
LABEL_RULE = "must be a DNS-1035 label: lower case letters, digits and '-', beginning with a letter"


def names_errors(names: Json, path: str) -> list[FieldError]:
    """Of the names that are there, in the spec or in the status."""
    checked = [(field, names[field]) for field in ("plural", "singular") if names.get(field)]
    checked += [(field, names[field].lower()) for field in ("kind", "listKind") if names.get(field)]
    for field in ("shortNames", "categories"):
        checked += [(f"{field}[{index}]", name) for index, name in enumerate(names.get(field) or [])]
    errors = [
        field_invalid(f"{path}.{field}", name, LABEL_RULE) for field, name in checked if not LABEL.fullmatch(name)
    ]
    if names.get("kind") and names["kind"] == names.get("listKind"):
        errors.append(field_invalid(f"{path}.listKind", names["kind"], "kind and listKind may not be the same"))
    return errors


def group_errors(group: str) -> list[FieldError]:
    if not group:
        return [field_required("spec.group")]
    if not SUBDOMAIN.fullmatch(group):
        return [field_invalid("spec.group", group, SUBDOMAIN_RULE)]
    return [] if "." in group else [field_invalid("spec.group", group, "should be a domain with at least one dot")]
