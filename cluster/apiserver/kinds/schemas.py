"""The schemas of metadata and of the built-in kinds, as JSON schemas."""

from cluster.apiserver.types import Json

STRING: Json = {"type": "string"}
BOOLEAN: Json = {"type": "boolean"}
INTEGER: Json = {"type": "integer", "format": "int32"}
LONG: Json = {"type": "integer", "format": "int64"}
TIME: Json = {"type": "string", "format": "date-time"}
MICRO_TIME: Json = {"type": "string", "format": "date-time"}
STRINGS: Json = {"type": "object", "additionalProperties": STRING}
BYTES: Json = {"type": "string", "format": "byte"}
FREE: Json = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def a_set(items: Json) -> Json:
    return {"type": "array", "items": items, "x-kubernetes-list-type": "set"}


def a_list(items: Json) -> Json:
    return {"type": "array", "items": items, "x-kubernetes-list-type": "atomic"}


def a_map(items: Json, *keys: str) -> Json:
    return {"type": "array", "items": items, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [*keys]}


def an_object(**properties: Json) -> Json:
    return {"type": "object", "properties": properties}


OWNER: Json = an_object(
    apiVersion=STRING, kind=STRING, name=STRING, uid=STRING, controller=BOOLEAN, blockOwnerDeletion=BOOLEAN
) | {"x-kubernetes-map-type": "atomic"}

MANAGED_FIELDS = an_object(
    manager=STRING,
    operation=STRING,
    apiVersion=STRING,
    time=TIME,
    fieldsType=STRING,
    fieldsV1=FREE,
    subresource=STRING,
)

METADATA: Json = an_object(
    name=STRING,
    generateName=STRING,
    namespace=STRING,
    selfLink=STRING,
    uid=STRING,
    resourceVersion=STRING,
    generation=LONG,
    creationTimestamp=TIME,
    deletionTimestamp=TIME,
    deletionGracePeriodSeconds=LONG,
    labels=STRINGS,
    annotations=STRINGS,
    ownerReferences=a_map(OWNER, "uid"),
    finalizers=a_set(STRING),
    managedFields=a_list(MANAGED_FIELDS),
)

CONDITION = an_object(
    type=STRING, status=STRING, reason=STRING, message=STRING, lastTransitionTime=TIME, observedGeneration=LONG
)

REFERENCE: Json = an_object(
    apiVersion=STRING,
    kind=STRING,
    name=STRING,
    namespace=STRING,
    uid=STRING,
    resourceVersion=STRING,
    fieldPath=STRING,
) | {"x-kubernetes-map-type": "atomic"}

NAMESPACE = an_object(
    spec=an_object(finalizers=a_list(STRING)),
    status=an_object(phase=STRING, conditions=a_map(CONDITION, "type")),
)
SECRET = an_object(
    type=STRING,
    data={"type": "object", "additionalProperties": STRING},
    stringData=STRINGS,
    immutable=BOOLEAN,
)
CONFIG_MAP = an_object(
    data=STRINGS,
    binaryData={"type": "object", "additionalProperties": STRING},
    immutable=BOOLEAN,
)
LEASE = an_object(
    spec=an_object(
        holderIdentity=STRING,
        leaseDurationSeconds=INTEGER,
        acquireTime=MICRO_TIME,
        renewTime=MICRO_TIME,
        leaseTransitions=INTEGER,
        strategy=STRING,
        preferredHolder=STRING,
    )
)
EVENT_SOURCE = an_object(component=STRING, host=STRING)
EVENT_SERIES = an_object(count=INTEGER, lastObservedTime=MICRO_TIME)
EVENT = an_object(
    involvedObject=REFERENCE,
    reason=STRING,
    message=STRING,
    source=EVENT_SOURCE,
    firstTimestamp=TIME,
    lastTimestamp=TIME,
    count=INTEGER,
    type=STRING,
    eventTime=MICRO_TIME | {"nullable": True},
    series=EVENT_SERIES,
    action=STRING,
    related=REFERENCE,
    reportingComponent=STRING,
    reportingInstance=STRING,
)

NAMES = an_object(
    plural=STRING,
    singular=STRING,
    shortNames=a_list(STRING),
    kind=STRING,
    listKind=STRING,
    categories=a_list(STRING),
)
PRINTER_COLUMN = an_object(
    name=STRING, type=STRING, format=STRING, description=STRING, priority=INTEGER, jsonPath=STRING
)
SCALE = an_object(specReplicasPath=STRING, statusReplicasPath=STRING, labelSelectorPath=STRING)
CRD_VERSION: Json = an_object(
    name=STRING,
    served=BOOLEAN,
    storage=BOOLEAN,
    deprecated=BOOLEAN,
    deprecationWarning=STRING,
    schema=an_object(openAPIV3Schema=FREE),
    subresources=an_object(status=FREE, scale=SCALE),
    additionalPrinterColumns=a_list(PRINTER_COLUMN),
    selectableFields=a_list(an_object(jsonPath=STRING)),
)
CONVERSION = an_object(strategy=STRING, webhook=FREE)
CRD = an_object(
    spec=an_object(
        group=STRING,
        names=NAMES,
        scope=STRING,
        versions=a_list(CRD_VERSION),
        conversion=CONVERSION | {"default": {"strategy": "None"}},
        preserveUnknownFields=BOOLEAN,
    ),
    status=an_object(
        conditions=a_map(CONDITION, "type") | {"nullable": True}, acceptedNames=NAMES, storedVersions=a_list(STRING)
    ),
)
