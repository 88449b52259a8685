"""The table of reviews; all are of version v1."""

from cluster.apiserver.kinds import access_schemas as schemas
from cluster.apiserver.verbs.reviews.access import access_of, local_access, own_access, own_rules
from cluster.apiserver.verbs.reviews.identity import who_asks, whose_token
from cluster.apiserver.verbs.reviews.review import Review, a_review
from cluster.apiserver.verbs.reviews.token import a_token

AUTHORIZATION = "authorization.k8s.io"
AUTHENTICATION = "authentication.k8s.io"

_ALL = [
    a_review(AUTHENTICATION, "selfsubjectreviews", "SelfSubjectReview", schemas.SELF_REVIEW, who_asks),
    a_review(AUTHENTICATION, "tokenreviews", "TokenReview", schemas.TOKEN_REVIEW, whose_token),
    a_review(
        AUTHORIZATION, "localsubjectaccessreviews", "LocalSubjectAccessReview", schemas.ACCESS_REVIEW, local_access,
        namespaced=True,
    ),
    a_review(
        AUTHORIZATION, "selfsubjectaccessreviews", "SelfSubjectAccessReview", schemas.SELF_ACCESS_REVIEW, own_access
    ),
    a_review(AUTHORIZATION, "selfsubjectrulesreviews", "SelfSubjectRulesReview", schemas.RULES_REVIEW, own_rules),
    a_review(AUTHORIZATION, "subjectaccessreviews", "SubjectAccessReview", schemas.ACCESS_REVIEW, access_of),
]  # fmt: skip
REVIEWS: dict[tuple[str, str], Review] = {(each.resource.group, each.resource.plural): each for each in _ALL}
"""(group, plural) -> the review"""

TOKEN: Review = a_review(
    AUTHENTICATION, "serviceaccounts", "TokenRequest", schemas.TOKEN_REQUEST, a_token, namespaced=True
)
"""The subresource `token` of a service account."""
