"""Whose code may run here: where instances share one network, nobody is kept from another's, so one account alone."""

from cluster.fabric.client import Description

REASON = "SharedNetwork"


def refusal(network: Description, sole_namespace: str | None, namespace: str) -> str | None:
    """Why nothing of this namespace is run; None: it may. `sole_namespace` None: the operator allows all to share."""
    if network.network == "fabric" or sole_namespace in (None, namespace):
        return None
    remedy = f" Allow a network for each with: {network.remedy}" if network.remedy else ""
    return (
        "Instances on this machine share one network, which is for one account alone "
        f"({network.reason or 'the fabric does not stand'}).{remedy} "
        "Or allow it all the same with SETPOINT_ALLOW_SHARED_NETWORK=1."
    )
