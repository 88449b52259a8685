"""Many clients that come and go."""

import asyncio

from tests.contract.apiserver.client import Api


def test_loops_do_not_disturb_each_other(api: Api) -> None:
    """Twenty watches opened and left at once leave nothing behind that keeps the server from answering."""

    async def leave(number: int) -> None:
        process = await asyncio.create_subprocess_exec(
            "curl", "-s", "--cacert", str(api.ca), "-H", f"Authorization: Bearer {api.token}", "-m", "1",
            f"{api.url}{api.widgets}?watch=1&timeoutSeconds={number + 1}", stdout=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        await process.wait()

    async def all_of_them() -> None:
        await asyncio.gather(*(leave(number) for number in range(20)))

    asyncio.run(all_of_them())
    assert api.get(api.widgets)["items"] == []
