"""Hostile input is answered, each in its way, and the server goes on as if nothing had been. How long others wait
meanwhile is measured in tests/bench/apiserver/test_hostile.py."""

import threading
from collections.abc import Iterator

import pytest

from tests.contract.apiserver.client import MERGE, Api, config_map, unique
from tests.contract.apiserver.hostile import HOSTILE, PROBE, Hostile


@pytest.fixture(scope="module")
def probe(admin: Api) -> Iterator[Api]:
    admin.request("DELETE", PROBE)
    admin.ok("POST", PROBE.rpartition("/")[0], config_map("probe", {"a": "1"}))
    yield admin
    admin.request("DELETE", PROBE)


@pytest.mark.parametrize("hostile", HOSTILE, ids=lambda hostile: hostile.name)
def test_it_is_answered_and_nothing_is_harmed(probe: Api, hostile: Hostile) -> None:
    headers = {"Content-Type": hostile.kind} if hostile.kind else {}
    answer = probe.http.request(hostile.method, hostile.path, content=hostile.body(), headers=headers)
    assert answer.status_code in hostile.statuses, answer.text[:500]
    assert probe.get(PROBE)["data"] == {"a": "1"}


def test_big_and_small_changes_of_one_object_lose_nothing(api: Api) -> None:
    """The big ones are worked out beside the others, and anew when those were quicker."""
    path = f"{api.widgets}/{unique('busy')}"
    api.widget(path.rpartition("/")[2])
    failed: list[str] = []

    def small(number: int) -> None:
        client = Api(api.url, api.token, api.ca, api.namespace)
        for round_ in range(10):
            answer = client.request("PATCH", path, {"metadata": {"labels": {f"s{number}": f"{round_}"}}}, MERGE)
            if answer.status_code != 200:
                failed.append(answer.text)
        client.http.close()

    def big() -> None:
        client = Api(api.url, api.token, api.ca, api.namespace)
        for round_ in range(3):
            limits = {f"k{index}": f"{round_}" for index in range(8_000)}
            answer = client.request("PATCH", path, {"spec": {"limits": limits}}, MERGE)
            # Who is overtaken five times in a row is told so, and may ask again.
            if answer.status_code not in (200, 409):
                failed.append(answer.text)
        client.http.close()

    threads = [threading.Thread(target=big), *(threading.Thread(target=small, args=(number,)) for number in range(4))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failed, failed[:2]
    limits = {f"k{index}": "done" for index in range(8_000)}
    found = api.patch(path, {"spec": {"limits": limits}})
    assert found["metadata"]["labels"] == {f"s{number}": "9" for number in range(4)}
    assert found["spec"]["limits"] == limits
