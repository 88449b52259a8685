"""The schemas of who may do what: service accounts, roles, bindings, and the reviews that ask about them."""

from cluster.apiserver.kinds.schemas import BOOLEAN, FREE, LONG, REFERENCE, STRING, TIME, a_list, a_map, an_object
from cluster.apiserver.types import Json

LOCAL_REFERENCE = an_object(name=STRING) | {"x-kubernetes-map-type": "atomic"}
SERVICE_ACCOUNT = an_object(
    secrets=a_map(REFERENCE, "name"), imagePullSecrets=a_list(LOCAL_REFERENCE), automountServiceAccountToken=BOOLEAN
)

STRINGS = a_list(STRING)
RULE = an_object(verbs=STRINGS, apiGroups=STRINGS, resources=STRINGS, resourceNames=STRINGS, nonResourceURLs=STRINGS)
ROLE = an_object(rules=a_list(RULE), aggregationRule=FREE)
SUBJECT = an_object(kind=STRING, apiGroup=STRING, name=STRING, namespace=STRING) | {"x-kubernetes-map-type": "atomic"}
ROLE_REFERENCE = an_object(apiGroup=STRING, kind=STRING, name=STRING) | {"x-kubernetes-map-type": "atomic"}
BINDING = an_object(subjects=a_list(SUBJECT), roleRef=ROLE_REFERENCE)

RESOURCE_ATTRIBUTES: Json = an_object(
    namespace=STRING,
    verb=STRING,
    group=STRING,
    version=STRING,
    resource=STRING,
    subresource=STRING,
    name=STRING,
    fieldSelector=FREE,
    labelSelector=FREE,
)
PATH_ATTRIBUTES: Json = an_object(path=STRING, verb=STRING)
USER = an_object(
    username=STRING,
    uid=STRING,
    groups=STRINGS,
    extra={"type": "object", "additionalProperties": STRINGS},
)
ACCESS_STATUS = an_object(allowed=BOOLEAN, denied=BOOLEAN, reason=STRING, evaluationError=STRING)
SELF_ACCESS_REVIEW = an_object(
    spec=an_object(resourceAttributes=RESOURCE_ATTRIBUTES, nonResourceAttributes=PATH_ATTRIBUTES), status=ACCESS_STATUS
)
ACCESS_REVIEW = an_object(
    spec=an_object(
        resourceAttributes=RESOURCE_ATTRIBUTES,
        nonResourceAttributes=PATH_ATTRIBUTES,
        user=STRING,
        groups=STRINGS,
        uid=STRING,
        extra={"type": "object", "additionalProperties": STRINGS},
    ),
    status=ACCESS_STATUS,
)
RULES_REVIEW = an_object(
    spec=an_object(namespace=STRING),
    status=an_object(
        resourceRules=a_list(RULE), nonResourceRules=a_list(RULE), incomplete=BOOLEAN, evaluationError=STRING
    ),
)
SELF_REVIEW = an_object(status=an_object(userInfo=USER))
TOKEN_REVIEW = an_object(
    spec=an_object(token=STRING, audiences=STRINGS),
    status=an_object(authenticated=BOOLEAN, user=USER, audiences=STRINGS, error=STRING),
)
BOUND = an_object(kind=STRING, apiVersion=STRING, name=STRING, uid=STRING) | {"nullable": True}
TOKEN_REQUEST = an_object(
    spec=an_object(audiences=STRINGS, expirationSeconds=LONG | {"default": 3600}, boundObjectRef=BOUND),
    status=an_object(token=STRING, expirationTimestamp=TIME),
)
