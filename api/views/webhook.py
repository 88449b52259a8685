"""What a git provider is told about its delivery."""

from typing import Literal

from api.http.shapes import View


class DeliveryView(View):
    status: Literal["pong", "accepted", "ignored", "seen"]
    message: str


PONG = DeliveryView(status="pong", message="The webhook works.")
ACCEPTED = DeliveryView(status="accepted", message="The branch will be looked at, and deployed if it has moved.")
SEEN = DeliveryView(status="seen", message="This delivery was taken before.")


def ignored(why: str) -> DeliveryView:
    return DeliveryView(status="ignored", message=why)
