"""Where the kernel refuses what the sandbox is made of: `up` says so at once, with the line that mends it, and goes on
from there once it is mended."""

from pathlib import Path

from tests.system.platform import Platform


def test_nothing_runs_until_it_is_allowed(tmp_path: Path) -> None:
    refused = Platform(tmp_path / "data", example=True, program=("-m", "tests.system.walls.refusing"))
    refused.start()
    try:
        said = "\n".join(refused.output)
        assert "up, but this machine lets it run nothing yet" in said
        assert "sandbox: refused" in said
        assert "A wall is missing. This machine refuses the sandbox" in said
        assert "Allow it with: sudo sysctl -w user.max_user_namespaces=" in said
        assert "Not everything answers" not in said
        (node,) = refused.records("computenodes")
        ready = next(each for each in node["status"]["conditions"] if each["type"] == "Ready")
        assert (ready["status"], ready["reason"]) == ("False", "SandboxRefused")
    finally:
        refused.stop()
    allowed = Platform(refused.data_dir, api_port=refused.api_port, router_port=refused.router_port, example=True)
    allowed.start()
    try:
        said = "\n".join(allowed.output)
        assert "Setpoint is ready" in said
        assert "sandbox: bubblewrap" in said
        assert "Served:" in said, "the example has waited"
    finally:
        allowed.stop()
