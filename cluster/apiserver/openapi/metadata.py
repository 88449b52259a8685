"""The schemas that the documents of all groups share: of metadata, of options, of Status and of Scale."""

from cluster.apiserver.kinds import schemas
from cluster.apiserver.types import Json

META = "io.k8s.apimachinery.pkg.apis.meta.v1"
SCALING = "io.k8s.api.autoscaling.v1"
OBJECT_META, LIST_META = f"{META}.ObjectMeta", f"{META}.ListMeta"
DELETE_OPTIONS, PATCH, STATUS = f"{META}.DeleteOptions", f"{META}.Patch", f"{META}.Status"
SCALE = f"{SCALING}.Scale"
_TIME, _FIELDS, _MANAGED, _OWNER = (
    f"{META}.Time",
    f"{META}.FieldsV1",
    f"{META}.ManagedFieldsEntry",
    f"{META}.OwnerReference",
)
_CAUSE, _DETAILS, _PRECONDITIONS = f"{META}.StatusCause", f"{META}.StatusDetails", f"{META}.Preconditions"
_STRING, _BOOLEAN, _INTEGER, _LONG = schemas.STRING, schemas.BOOLEAN, schemas.INTEGER, schemas.LONG
_FILLED: Json = {"type": "string", "default": ""}
TYPE_META: Json = {
    "apiVersion": {"type": "string", "description": "The group and version that this object is written in."},
    "kind": {"type": "string", "description": "What kind of object this is."},
}


def reference(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def nested(name: str, description: str = "") -> Json:
    """A reference that may stand beside other words of the schema."""
    about = {"description": description} if description else {}
    return {**about, "allOf": [reference(name)]}


def filled(name: str) -> Json:
    return {**nested(name), "default": {}}


def _texts(**descriptions: str) -> Json:
    return {name: {"type": "string", "description": text} for name, text in descriptions.items()}


def _time(description: str) -> Json:
    return nested(_TIME, description)


def _object_meta() -> Json:
    told = _texts(
        name="The object's name, unique in its namespace.",
        generateName="What the name begins with when the server is to choose the rest.",
        namespace="Where the object is.",
        selfLink="Not filled in any more.",
        uid="Of this one object, never used again.",
        resourceVersion="Changes with each write: send it back to change what was seen and nothing newer.",
    )
    return schemas.an_object(
        **told,
        annotations=_map("Words about the object that nobody selects by."),
        labels=_map("Words by which objects are selected."),
        creationTimestamp=_time("When it was made."),
        deletionTimestamp=_time("Since when it is to go; it stays until it has no finalizers."),
        deletionGracePeriodSeconds={**_LONG, "description": "How long it was given to end."},
        generation={**_LONG, "description": "Rises with each change of what is wanted."},
        finalizers={
            **schemas.a_set(_FILLED),
            "description": "Who must agree before it goes.",
            "x-kubernetes-patch-strategy": "merge",
        },
        managedFields={**schemas.a_list(filled(_MANAGED)), "description": "Which manager set which fields."},
        ownerReferences={
            **schemas.a_map(filled(_OWNER), "uid"),
            "description": "It goes when all of these are gone.",
            "x-kubernetes-patch-merge-key": "uid",
            "x-kubernetes-patch-strategy": "merge",
        },
    )


def _map(description: str) -> Json:
    return {"type": "object", "additionalProperties": _FILLED, "description": description}


def _owner() -> Json:
    filled_in = dict.fromkeys(("apiVersion", "kind", "name", "uid"), _FILLED)
    fields = schemas.an_object(**filled_in, blockOwnerDeletion=_BOOLEAN, controller=_BOOLEAN)
    return {**fields, "required": sorted(filled_in), "x-kubernetes-map-type": "atomic"}


def _delete_options(groups: list[tuple[str, str]]) -> Json:
    fields = schemas.an_object(
        **TYPE_META,
        dryRun=schemas.a_list(_FILLED),
        gracePeriodSeconds=_LONG,
        orphanDependents=_BOOLEAN,
        preconditions=nested(_PRECONDITIONS),
        propagationPolicy=_STRING,
    )
    return {**fields, "x-kubernetes-group-version-kind": [kind_of(*each, "DeleteOptions") for each in groups]}


def _status() -> Json:
    fields = schemas.an_object(
        **TYPE_META,
        metadata=filled(LIST_META),
        code=_INTEGER,
        details=nested(_DETAILS),
        message=_STRING,
        reason=_STRING,
        status=_STRING,
    )
    return {**fields, "x-kubernetes-group-version-kind": [kind_of("", "v1", "Status")]}


def kind_of(group: str, version: str, kind: str) -> Json:
    return {"group": group, "kind": kind, "version": version}


def shared(groups: list[tuple[str, str]]) -> Json:
    """`groups`: each that is served, with its version."""
    text = {"type": "string"}
    details = schemas.an_object(
        causes=schemas.a_list(filled(_CAUSE)), group=text, kind=text, name=text, retryAfterSeconds=_INTEGER, uid=text
    )
    return {
        OBJECT_META: _object_meta(),
        LIST_META: schemas.an_object(
            **{"continue": text}, remainingItemCount=_LONG, resourceVersion=text, selfLink=text
        ),
        _TIME: schemas.TIME,
        _FIELDS: {"type": "object"},
        _MANAGED: schemas.an_object(
            **dict.fromkeys(("apiVersion", "fieldsType", "manager", "operation", "subresource"), text),
            fieldsV1=nested(_FIELDS),
            time=nested(_TIME),
        ),
        _OWNER: _owner(),
        DELETE_OPTIONS: _delete_options(groups),
        _PRECONDITIONS: schemas.an_object(resourceVersion=text, uid=text),
        PATCH: {"type": "object"},
        STATUS: _status(),
        _CAUSE: schemas.an_object(field=text, message=text, reason=text),
        _DETAILS: details,
    }


def scaling() -> Json:
    """Of kinds with a scale subresource."""
    scale = schemas.an_object(
        **TYPE_META,
        metadata=filled(OBJECT_META),
        spec=filled(f"{SCALING}.ScaleSpec"),
        status=filled(f"{SCALING}.ScaleStatus"),
    )
    return {
        SCALE: {**scale, "x-kubernetes-group-version-kind": [kind_of("autoscaling", "v1", "Scale")]},
        f"{SCALING}.ScaleSpec": schemas.an_object(replicas={**_INTEGER, "default": 0}),
        f"{SCALING}.ScaleStatus": {
            **schemas.an_object(replicas={**_INTEGER, "default": 0}, selector=_STRING),
            "required": ["replicas"],
        },
    }
