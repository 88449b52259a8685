"""The rows that the specification names are the rows that we have, with its scopes."""

from api.table import TABLE

# Section -> method, path and scope of each row that the specification has there.
SPECIFIED = """
GET /v1/projects read
POST /v1/projects deploy
GET /v1/projects/:id read
GET /v1/projects/by-handle/:handle/:name read
POST /v1/projects/:id/deploy deploy
POST /v1/projects/:id/deploy/stream deploy
POST /v1/deploy/plan deploy
GET /v1/projects/:id/logs read
GET /v1/projects/:id/metrics read
GET /v1/projects/:id/env read
POST /v1/projects/:id/env deploy
POST /v1/projects/:id/scale deploy
GET /v1/projects/:id/instances read
GET /v1/projects/:id/git read
POST /v1/projects/:id/git deploy
POST /v1/projects/:id/git/rotate-secret deploy
POST /v1/projects/:id/git/webhook signature
"""


def test_they_are_there() -> None:
    ours = {f"{row.method} {row.path} {row.access}" for row in TABLE}
    assert set(SPECIFIED.strip().splitlines()) <= ours


def test_what_changes_something_needs_more_than_read() -> None:
    for row in TABLE:
        if row.method != "GET" and row.path != "/v1/projects/:id/git/webhook":
            assert row.access in ("deploy", "admin"), row
