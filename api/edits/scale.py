"""How many instances, and how large."""

from typing import Any

from pydantic import Field

from api.http.shapes import Body, WholeNumber
from crds.sizes import MAX_INSTANCES, SizeName


class ScaleRequest(Body):
    instances: WholeNumber = Field(ge=0, le=MAX_INSTANCES)
    size: SizeName | None = Field(default=None, description="Left out: as it is")


def scale(body: ScaleRequest) -> dict[str, Any]:
    spec: dict[str, Any] = {"instances": body.instances}
    if body.size is not None:
        spec["size"] = body.size
    return {"spec": spec}
