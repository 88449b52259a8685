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
    owners,
    patch,
    status,
    update,
    watch,
)

CASES = cases_of(
    [
        create,
        update,
        patch,
        apply,
        status,
        delete,
        lists,
        watch,
        built_in,
        definitions,
        definition_objects,
        definition_names,
        definition_versions,
        definition_ends,
        owners,
        discovery,
    ]
)
