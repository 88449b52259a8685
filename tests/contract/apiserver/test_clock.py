"""Ours only: the machine's clock is set two days forward or back while everything runs."""

from pathlib import Path

import pytest

from tests.contract.apiserver.client import eventually
from tests.contract.apiserver.conftest import client_of, install_widgets
from tests.contract.apiserver.server import prepared

DAYS = 2 * 24 * 3600
# All that asks for the time of day asks here; the kernel's clock that only counts is left alone, as by who sets it.
SHIFTED = """
import datetime, time
from pathlib import Path
_true = time.time
def _shifted():
    return _true() + float(Path({by!r}).read_text())
class _Shifted(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return datetime.datetime.fromtimestamp(_shifted(), tz)
time.time = _shifted
datetime.datetime = _Shifted
"""


@pytest.mark.parametrize("shift", [DAYS, -DAYS])
def test_nothing_is_lost_and_all_goes_on(tmp_path: Path, shift: int) -> None:
    server = prepared(tmp_path)
    by = tmp_path / "by"
    by.write_text("0")
    server.prelude = SHIFTED.format(by=str(by))
    server.start()
    try:
        api = client_of(server)
        install_widgets(api)
        for number in range(20):
            api.widget(f"w{number}")
        first = api.get(api.widgets, limit="5")
        version = first["metadata"]["resourceVersion"]
        lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "l"}}
        leases = f"/apis/coordination.k8s.io/v1/namespaces/{api.namespace}/leases"
        held = api.ok("POST", leases, {**lease, "spec": {"holderIdentity": "me", "leaseDurationSeconds": 15}})
        with api.watching(api.widgets, resourceVersion=version) as watch:
            by.write_text(str(shift))
            moved = api.patch(f"{api.widgets}/w0", {"spec": {"note": "moved"}})
            assert watch.next()["object"]["spec"]["note"] == "moved"
            made = api.widget("later")
            assert watch.next()["object"]["metadata"]["uid"] == made["metadata"]["uid"]
            assert int(made["metadata"]["resourceVersion"]) > int(moved["metadata"]["resourceVersion"])
            assert api.ok("DELETE", f"{api.widgets}/w1")["status"] == "Success"
            assert watch.next()["type"] == "DELETED"
        # Who held a lease goes on holding it: only those who wait judge its age, by clocks of their own.
        assert api.patch(f"{leases}/l", {"spec": {"leaseTransitions": 1}})["spec"]["holderIdentity"] == "me"
        assert api.get(f"{leases}/l")["metadata"]["creationTimestamp"] == held["metadata"]["creationTimestamp"]
        _events_of_now_are_kept(api)
        server.kill()
        server.start()
        api = client_of(server)
        names = {item["metadata"]["name"] for item in api.get(api.widgets)["items"]}
        assert names == {f"w{number}" for number in range(20) if number != 1} | {"later"}
        by.write_text("0")
        assert api.patch(f"{api.widgets}/later", {"spec": {"note": "back"}})["spec"]["note"] == "back"
    finally:
        server.kill()


def _events_of_now_are_kept(api) -> None:  # type: ignore[no-untyped-def]
    """Those of before may be forgotten: an hour has passed, for all that anybody knows."""
    event = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "now"},
        "involvedObject": {"namespace": "default"},
    }
    api.ok("POST", api.core("events"), event)
    eventually(lambda: "now" in [item["metadata"]["name"] for item in api.get(api.core("events"))["items"]])
