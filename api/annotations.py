"""Annotations that the API writes for itself; those that others read too are in `crds.names`."""

from crds.models.record import GROUP

# On a Deploy: the user whose request made it. On a Project: the user who connected its repository.
ACTOR = f"{GROUP}/actor"
CONNECTED_BY = f"{GROUP}/connected-by"
# On a Project: the hash of the Idempotency-Key that made it.
MADE_BY = f"{GROUP}/made-by"
