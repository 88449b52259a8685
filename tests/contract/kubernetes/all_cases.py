"""Every case there is."""

from tests.contract.kubernetes.case import cases_of
from tests.contract.kubernetes.cases import (
    apply,
    built_in,
    create,
    definition_ends,
    definition_names,
    definition_objects,
    definition_versions,
    definitions,
    delete,
    discovery,
    lists,
    openapi,
    owners,
    patch,
    rights,
    service_accounts,
    status,
    update,
    watch,
)

_RECORDS = [create, update, patch, apply, status, delete, lists, watch, built_in, owners]
_DEFINITIONS = [definitions, definition_objects, definition_names, definition_versions, definition_ends]
CASES = cases_of([*_RECORDS, *_DEFINITIONS, discovery, openapi, service_accounts, rights])
