"""Every case there is."""

from tests.contract.kubernetes.case import cases_of
from tests.contract.kubernetes.cases import (
    apply,
    built_in,
    create,
    definitions,
    delete,
    discovery,
    lists,
    owners,
    patch,
    rights,
    service_accounts,
    status,
    update,
    watch,
)

_RECORDS = [create, update, patch, apply, status, delete, lists, watch, built_in, definitions, owners]
CASES = cases_of([*_RECORDS, discovery, service_accounts, rights])
