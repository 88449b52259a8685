"""Our API server answers as a real one was recorded to answer; where one is built, that it still does."""

from collections.abc import Iterator

import pytest

from tests.contract.apiserver.client import Api
from tests.contract.apiserver.server import Server, running
from tests.contract.kubernetes.all_cases import CASES
from tests.contract.kubernetes.backends import SCRIPT, converse, install, typed
from tests.contract.kubernetes.case import Case
from tests.contract.kubernetes.chosen import CHOSEN
from tests.contract.kubernetes.snapshots import FOLDER, recorded

by_name = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("conformance")) as started:
        yield started


@pytest.fixture(scope="module")
def ours(server: Server) -> Iterator[Api]:
    api = Api(server.url, server.token, server.ca)
    install(api)
    yield api
    api.http.close()


@by_name
def test_ours_answers_as_the_real_one(ours: Api, case: Case) -> None:
    chosen = CHOSEN.get(case.name, set())
    for number, (mine, real) in enumerate(zip(converse(ours, case), recorded(case.name), strict=True)):
        assert (mine == real) != (number in chosen), f"{mine}\nwhere a real one answers\n{real}"


def test_kubectl_ends_and_prints_as_on_the_real_one(server: Server, ours: Api) -> None:
    assert ours.widgets, "the kind is there"
    for mine, real in zip(typed(server), recorded(SCRIPT), strict=True):
        assert mine == real


def test_every_record_has_its_case() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == {SCRIPT, *(case.name for case in CASES)}
