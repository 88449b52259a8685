"""Field tables of the messages that kubectl sends: number -> (JSON name, how the value is read).

The numbers are those of Kubernetes' published .proto files.
"""

from typing import NamedTuple


class Spec(NamedTuple):
    """`kind` is string, int, bool, bytes, time, micro, raw (embedded JSON), map, bytesmap, or a message's name."""

    name: str
    kind: str
    repeated: bool = False


Message = dict[int, Spec]

OBJECT_META: Message = {
    1: Spec("name", "string"), 2: Spec("generateName", "string"), 3: Spec("namespace", "string"),
    4: Spec("selfLink", "string"), 5: Spec("uid", "string"), 6: Spec("resourceVersion", "string"),
    7: Spec("generation", "int"), 8: Spec("creationTimestamp", "time"), 9: Spec("deletionTimestamp", "time"),
    10: Spec("deletionGracePeriodSeconds", "int"), 11: Spec("labels", "map"), 12: Spec("annotations", "map"),
    13: Spec("ownerReferences", "OwnerReference", True), 14: Spec("finalizers", "string", True),
    17: Spec("managedFields", "ManagedFieldsEntry", True),
}  # fmt: skip
OWNER: Message = {
    1: Spec("kind", "string"), 3: Spec("name", "string"), 4: Spec("uid", "string"), 5: Spec("apiVersion", "string"),
    6: Spec("controller", "bool"), 7: Spec("blockOwnerDeletion", "bool"),
}  # fmt: skip
MANAGED: Message = {
    1: Spec("manager", "string"), 2: Spec("operation", "string"), 3: Spec("apiVersion", "string"),
    4: Spec("time", "time"), 6: Spec("fieldsType", "string"), 7: Spec("fieldsV1", "FieldsV1"),
    8: Spec("subresource", "string"),
}  # fmt: skip
NAMESPACE: Message = {
    1: Spec("metadata", "ObjectMeta"), 2: Spec("spec", "NamespaceSpec"), 3: Spec("status", "NamespaceStatus"),
}  # fmt: skip
SECRET: Message = {
    1: Spec("metadata", "ObjectMeta"), 2: Spec("data", "bytesmap"), 3: Spec("type", "string"),
    4: Spec("stringData", "map"), 5: Spec("immutable", "bool"),
}  # fmt: skip
CONFIG_MAP: Message = {
    1: Spec("metadata", "ObjectMeta"), 2: Spec("data", "map"), 3: Spec("binaryData", "bytesmap"),
    4: Spec("immutable", "bool"),
}  # fmt: skip
REFERENCE: Message = {
    1: Spec("kind", "string"), 2: Spec("namespace", "string"), 3: Spec("name", "string"), 4: Spec("uid", "string"),
    5: Spec("apiVersion", "string"), 6: Spec("resourceVersion", "string"), 7: Spec("fieldPath", "string"),
}  # fmt: skip
EVENT: Message = {
    1: Spec("metadata", "ObjectMeta"), 2: Spec("involvedObject", "ObjectReference"), 3: Spec("reason", "string"),
    4: Spec("message", "string"), 5: Spec("source", "EventSource"), 6: Spec("firstTimestamp", "time"),
    7: Spec("lastTimestamp", "time"), 8: Spec("count", "int"), 9: Spec("type", "string"),
    10: Spec("eventTime", "micro"), 11: Spec("series", "EventSeries"), 12: Spec("action", "string"),
    13: Spec("related", "ObjectReference"), 14: Spec("reportingComponent", "string"),
    15: Spec("reportingInstance", "string"),
}  # fmt: skip
LEASE_SPEC: Message = {
    1: Spec("holderIdentity", "string"), 2: Spec("leaseDurationSeconds", "int"), 3: Spec("acquireTime", "micro"),
    4: Spec("renewTime", "micro"), 5: Spec("leaseTransitions", "int"), 6: Spec("strategy", "string"),
    7: Spec("preferredHolder", "string"),
}  # fmt: skip
RESOURCE_ATTRIBUTES: Message = {
    1: Spec("namespace", "string"), 2: Spec("verb", "string"), 3: Spec("group", "string"),
    4: Spec("version", "string"), 5: Spec("resource", "string"), 6: Spec("subresource", "string"),
    7: Spec("name", "string"),
}  # fmt: skip
DELETE_OPTIONS: Message = {
    1: Spec("gracePeriodSeconds", "int"), 2: Spec("preconditions", "Preconditions"),
    3: Spec("orphanDependents", "bool"), 4: Spec("propagationPolicy", "string"), 5: Spec("dryRun", "string", True),
}  # fmt: skip

SERVICE_ACCOUNT: Message = {
    1: Spec("metadata", "ObjectMeta"), 2: Spec("secrets", "ObjectReference", True),
    3: Spec("imagePullSecrets", "LocalReference", True), 4: Spec("automountServiceAccountToken", "bool"),
}  # fmt: skip
ACCESS_REVIEW_SPEC: Message = {
    1: Spec("resourceAttributes", "ResourceAttributes"), 2: Spec("nonResourceAttributes", "NonResourceAttributes"),
    3: Spec("user", "string"), 4: Spec("groups", "string", True), 6: Spec("uid", "string"),
}  # fmt: skip
TOKEN_REQUEST_SPEC: Message = {
    1: Spec("audiences", "string", True), 3: Spec("boundObjectRef", "BoundReference"),
    4: Spec("expirationSeconds", "int"),
}  # fmt: skip
POLICY_RULE: Message = {
    1: Spec("verbs", "string", True), 2: Spec("apiGroups", "string", True), 3: Spec("resources", "string", True),
    4: Spec("resourceNames", "string", True), 5: Spec("nonResourceURLs", "string", True),
}  # fmt: skip
SUBJECT: Message = {
    1: Spec("kind", "string"), 2: Spec("apiGroup", "string"), 3: Spec("name", "string"), 4: Spec("namespace", "string"),
}  # fmt: skip
ROLE: Message = {1: Spec("metadata", "ObjectMeta"), 2: Spec("rules", "PolicyRule", True)}
BINDING: Message = {
    1: Spec("metadata", "ObjectMeta"), 2: Spec("subjects", "Subject", True), 3: Spec("roleRef", "RoleReference"),
}  # fmt: skip

MESSAGES: dict[str, Message] = {
    "ObjectMeta": OBJECT_META,
    "OwnerReference": OWNER,
    "ManagedFieldsEntry": MANAGED,
    "FieldsV1": {1: Spec("raw", "raw")},
    "NamespaceSpec": {1: Spec("finalizers", "string", True)},
    "NamespaceStatus": {1: Spec("phase", "string")},
    "ObjectReference": REFERENCE,
    "EventSource": {1: Spec("component", "string"), 2: Spec("host", "string")},
    "EventSeries": {1: Spec("count", "int"), 2: Spec("lastObservedTime", "micro")},
    "LeaseSpec": LEASE_SPEC,
    "ResourceAttributes": RESOURCE_ATTRIBUTES,
    "NonResourceAttributes": {1: Spec("path", "string"), 2: Spec("verb", "string")},
    "AccessReviewSpec": {
        1: Spec("resourceAttributes", "ResourceAttributes"),
        2: Spec("nonResourceAttributes", "NonResourceAttributes"),
    },
    "SubjectAccessReviewSpec": ACCESS_REVIEW_SPEC,
    "RulesReviewSpec": {1: Spec("namespace", "string")},
    "TokenReviewSpec": {1: Spec("token", "string"), 2: Spec("audiences", "string", True)},
    "TokenRequestSpec": TOKEN_REQUEST_SPEC,
    "BoundReference": {
        1: Spec("kind", "string"),
        2: Spec("apiVersion", "string"),
        3: Spec("name", "string"),
        4: Spec("uid", "string"),
    },
    "LocalReference": {1: Spec("name", "string")},
    "PolicyRule": POLICY_RULE,
    "Subject": SUBJECT,
    "RoleReference": {1: Spec("apiGroup", "string"), 2: Spec("kind", "string"), 3: Spec("name", "string")},
    "Preconditions": {1: Spec("uid", "string"), 2: Spec("resourceVersion", "string")},
}
KINDS: dict[str, Message] = {
    "Namespace": NAMESPACE,
    "Secret": SECRET,
    "ConfigMap": CONFIG_MAP,
    "Event": EVENT,
    "Lease": {1: Spec("metadata", "ObjectMeta"), 2: Spec("spec", "LeaseSpec")},
    "SelfSubjectAccessReview": {1: Spec("metadata", "ObjectMeta"), 2: Spec("spec", "AccessReviewSpec")},
    "SelfSubjectReview": {1: Spec("metadata", "ObjectMeta")},
    "SubjectAccessReview": {1: Spec("metadata", "ObjectMeta"), 2: Spec("spec", "SubjectAccessReviewSpec")},
    "LocalSubjectAccessReview": {1: Spec("metadata", "ObjectMeta"), 2: Spec("spec", "SubjectAccessReviewSpec")},
    "SelfSubjectRulesReview": {1: Spec("metadata", "ObjectMeta"), 2: Spec("spec", "RulesReviewSpec")},
    "TokenReview": {1: Spec("metadata", "ObjectMeta"), 2: Spec("spec", "TokenReviewSpec")},
    "TokenRequest": {1: Spec("metadata", "ObjectMeta"), 2: Spec("spec", "TokenRequestSpec")},
    "ServiceAccount": SERVICE_ACCOUNT,
    "Role": ROLE,
    "ClusterRole": ROLE,
    "RoleBinding": BINDING,
    "ClusterRoleBinding": BINDING,
    "DeleteOptions": DELETE_OPTIONS,
}
"""The kinds that can be decoded, by their name."""
