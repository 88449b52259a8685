"""The administrator's kubeconfig, and what is read of others'."""

import hashlib
import json
from pathlib import Path

import pytest
import yaml

from setpoint.access import KubeconfigError, ensure_administrator, own_server_port, server_of
from setpoint.installation import Installation


def test_the_administrators_token_is_made_once(tmp_path: Path) -> None:
    installation = Installation(tmp_path / "data")
    installation.prepare()
    ensure_administrator(installation, 1234, "main")
    config = yaml.safe_load(installation.kubeconfig("admin").read_text())
    token = config["users"][0]["user"]["token"]
    assert token not in installation.access_file.read_text()
    known = json.loads(installation.access_file.read_text())["tokens"][hashlib.sha256(token.encode()).hexdigest()]
    assert known == {"user": "admin", "groups": ["system:masters"]}
    ensure_administrator(installation, 4321, "main")
    moved = yaml.safe_load(installation.kubeconfig("admin").read_text())
    assert moved["clusters"][0]["cluster"]["server"].endswith(":4321")
    assert moved["users"] == config["users"]
    assert moved["contexts"][0]["context"]["namespace"] == "acc-main"
    assert own_server_port(installation.kubeconfig("admin")) == 4321


def kubeconfig(path: Path, cluster: dict[str, str]) -> Path:
    config = {
        "contexts": [{"name": "other", "context": {}}, {"name": "mine", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": cluster}],
        "current-context": "mine",
    }
    path.write_text(yaml.safe_dump(config))
    return path


def test_a_servers_files_are_found_from_anywhere(tmp_path: Path) -> None:
    found = server_of(kubeconfig(tmp_path / "config", {"server": "https://a:6443", "certificate-authority": "pki/ca"}))
    assert found["certificate-authority"] == str(tmp_path / "pki" / "ca")
    assert server_of(kubeconfig(tmp_path / "config", {"server": "https://a"})) == {"server": "https://a"}


@pytest.mark.parametrize(
    ("server", "port"),
    [("https://127.0.0.1:6443", 6443), ("https://localhost", 443), ("https://10.0.0.1:6443", None), ("", None)],
)
def test_a_port_of_this_machine(tmp_path: Path, server: str, port: int | None) -> None:
    assert own_server_port(kubeconfig(tmp_path / "config", {"server": server})) == port


@pytest.mark.parametrize("text", ["", "[]", "a: [", "contexts: []", "current-context: x\ncontexts: [{name: x}]"])
def test_what_is_no_kubeconfig_is_said_to_be_none(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config"
    path.write_text(text)
    with pytest.raises(KubeconfigError, match="no kubeconfig"):
        server_of(path)
