"""The lane of big requests: worked out elsewhere, anew when the object has changed, not for ever."""

import threading
from collections.abc import Awaitable

import pytest

from cluster.apiserver.errors import ApiError
from cluster.apiserver.http.heavy import HeavyLane
from cluster.apiserver.http.response import Response
from cluster.apiserver.verbs.stored import Stale


class Answering:
    """Is overtaken so many times before it can store what it worked out."""

    def __init__(self, overtaken: int) -> None:
        self.overtaken = overtaken
        self.threads: list[int] = []

    def __call__(self) -> Awaitable[Response]:
        self.threads.append(threading.get_ident())
        return self._store()

    async def _store(self) -> Response:
        assert threading.get_ident() == threading.main_thread().ident, "the store is the event loop's"
        if len(self.threads) <= self.overtaken:
            raise Stale
        return Response(200, b"{}")


@pytest.mark.parametrize("overtaken", [0, 1, 4])
async def test_it_is_worked_out_anew_beside_the_loop(overtaken: int) -> None:
    answering = Answering(overtaken)
    assert (await HeavyLane().answer(answering)).status == 200
    assert len(answering.threads) == overtaken + 1
    assert threading.main_thread().ident not in answering.threads


async def test_who_is_always_overtaken_is_told_so() -> None:
    with pytest.raises(ApiError) as caught:
        await HeavyLane().answer(Answering(99))
    assert caught.value.code == 409
