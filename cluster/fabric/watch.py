"""Noticing that the fabric is another one than before: whoever works in it begins anew then."""

import asyncio

from cluster.fabric.client import Description, Keeper


class FabricChanged(Exception):
    """The network that this part worked in is no more."""


async def until_another(keeper: Keeper, known: Description) -> None:
    """Raises FabricChanged when the keeper says something else than before; it is asked anew whenever it began anew."""
    while True:
        await keeper.until_gone()
        await asyncio.sleep(0.05)
        now = await keeper.describe()
        if now != known:
            raise FabricChanged(f"The instances' network is another one now ({known.network} {known.id} before).")
