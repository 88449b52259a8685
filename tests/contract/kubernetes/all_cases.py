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
    status,
    update,
    watch,
)

CASES = cases_of([create, update, patch, apply, status, delete, lists, watch, built_in, definitions, owners, discovery])
