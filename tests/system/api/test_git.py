"""The connection to a repository: what may be named, what is written, and the secret that is shown once."""

import asyncio
from typing import Any

from crds.models.core import Secret
from tests.system.api.visitor import MAIN, Visitor, project_record


async def connect(visitor: Visitor, project: dict[str, Any], body: Any, key: str = "admin") -> Any:
    return await visitor.call("POST", f"/v1/projects/{project['id']}/git", body, key=key)


async def test_connecting_shows_the_secret_once(visitor: Visitor) -> None:
    project = await visitor.project(repo="")
    path = f"/v1/projects/{project['id']}/git"
    before = await visitor.ok("GET", path)
    assert (before["repository"], before["branch"], before["webhook"]["status"]) == (None, None, "unconfigured")
    first = await connect(visitor, project, {"repo": "acme/shop", "branch": "main"})
    made = first.json()
    assert first.status_code == 200
    assert made["repository"] == "https://github.com/acme/shop.git"
    assert (made["branch"], made["webhook"]["status"]) == ("main", "waiting")
    assert made["webhook"]["url"] == f"{visitor.house.url}{path}/webhook"
    assert len(made["secret"]) >= 40
    again = (await connect(visitor, project, {"repo": "https://example.com/acme/other.git"})).json()
    assert "secret" not in again
    assert (again["repository"], again["branch"]) == ("https://example.com/acme/other.git", None)
    assert "secret" not in await visitor.ok("GET", path)
    async with visitor.house.client() as client:
        record = await project_record(client, project["name"])
        assert record.metadata.annotations["setpoint.dev/follow"] == "true"
        assert (await client.get(Secret, f"{project['name']}-webhook", MAIN)).values() == {"secret": made["secret"]}
        assert made["secret"] not in str(record.wire())
    assert made["secret"] not in visitor.house.log


async def test_disconnecting_ends_it_and_a_new_secret_comes_with_the_next(visitor: Visitor) -> None:
    project = await visitor.project(repo="")
    first = (await connect(visitor, project, {"repo": "acme/shop"})).json()["secret"]
    path = f"/v1/projects/{project['id']}/git"
    assert (await visitor.call("DELETE", path)).status_code == 204
    shown = await visitor.ok("GET", path)
    assert (shown["repository"], shown["webhook"]["status"]) == (None, "unconfigured")
    assert (await visitor.call("POST", f"{path}/rotate-secret")).status_code == 409
    async with visitor.house.client() as client:
        record = await project_record(client, project["name"])
        assert record.metadata.annotations["setpoint.dev/follow"] != "true"
    assert (await connect(visitor, project, {"repo": "acme/shop"})).json()["secret"] != first


async def test_rotating_replaces_the_secret(visitor: Visitor) -> None:
    project = await visitor.project(repo="")
    first = (await connect(visitor, project, {"repo": "acme/shop"})).json()["secret"]
    second = (await visitor.ok("POST", f"/v1/projects/{project['id']}/git/rotate-secret"))["secret"]
    assert second != first
    async with visitor.house.client() as client:
        assert (await client.get(Secret, f"{project['name']}-webhook", MAIN)).values() == {"secret": second}


async def test_hostile_repositories_and_branches_are_refused(visitor: Visitor) -> None:
    operators, strangers = await visitor.project(repo=""), await visitor.project(repo="", key="other")
    for repo in (
        "--upload-pack=touch x",
        "-x/y",
        "ext::sh -c x",
        "ext::sh%20-c",
        "fd::1",
        "https://user@example.com/x",
        "https://user:pass@example.com/x",
        "ssh://user:pass@example.com/x",
        "http://example.com/x",
        "git://example.com/x",
        "https://",
        "https:///x",
        "acme/..",
        "acme/shop/more",
        "a b/c",
        "acme/shop\n",
        "https://example.com/x y",
        "https://example.com/\u0000",
        "",
        "x" * 3000,
    ):
        for project, key in ((operators, "admin"), (strangers, "other")):
            refused = await connect(visitor, project, {"repo": repo}, key)
            assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, "/repo"), repo
    for repo in ("/srv/repo", "file:///srv/repo", "https://127.0.0.1/x", "https://10.1.2.3/x", "https://[::1]/x"):
        refused = await connect(visitor, strangers, {"repo": repo}, "other")
        assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, "/repo"), repo
        assert (await connect(visitor, operators, {"repo": repo})).status_code == 200, repo
    for branch in ("a b", "..", "-x", "a..b", "a~1", "a^", "a:b", "a?", "x.lock", "/x", "x/", "@{-1}", ""):
        refused = await connect(visitor, operators, {"repo": "acme/shop", "branch": branch})
        assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, "/branch"), branch


async def test_connecting_at_once_makes_one_secret(visitor: Visitor) -> None:
    project = await visitor.project(repo="")
    answers = await asyncio.gather(*(connect(visitor, project, {"repo": "acme/shop"}) for _ in range(5)))
    assert sum("secret" in answer.json() for answer in answers) == 1
