"""The files that HAProxy starts from."""

from pathlib import Path

import pytest

from cluster.router.encode import Unsafe
from cluster.router.files import Files, backends, hosts_map, most_connections
from cluster.router.table import Server, Table

TABLE = Table(
    {"b.localhost": "s00001", "a.localhost": "s00001"}, {("s00001", "shop-web-1.ab"): Server("127.0.0.1:20001")}
)


def test_backends_and_hosts() -> None:
    assert hosts_map(TABLE) == "a.localhost s00001\nb.localhost s00001\n"
    expected = "backend s00001 from projects\n    server shop-web-1.ab 127.0.0.1:20001\nbackend s00002 from projects\n"
    assert backends(["s00001", "s00002"], TABLE) == expected


def test_nothing_hostile_gets_into_a_file() -> None:
    with pytest.raises(Unsafe):
        hosts_map(Table({"a\nb": "s00001"}))
    with pytest.raises(Unsafe):
        backends(["s00001"], Table({}, {("s00001", "x\n"): Server("127.0.0.1:1")}))


def test_files_are_complete_only_when_all_are_there(tmp_path: Path) -> None:
    files = Files(tmp_path / "router")
    assert not files.complete()
    files.write_base()
    assert not files.complete()
    files.write_table(["s00001"], TABLE)
    assert files.complete()
    assert 'bind fd@"${LISTENER}"' in (tmp_path / "router" / "base.cfg").read_text()


def test_owners_survive_and_what_cannot_be_read_counts_as_nothing(tmp_path: Path) -> None:
    files = Files(tmp_path)
    assert files.read_owners() == {}
    files.write_owners({"s00001": ("acc-main", "shop")})
    assert files.read_owners() == {"s00001": ("acc-main", "shop")}
    for broken in ("{", "[]", '{"x": ["a", "b"]}', '{"s00001": "a"}', '{"s00001": 1}'):
        (tmp_path / "slots.json").write_text(broken)
        assert files.read_owners() == {}


@pytest.mark.parametrize(("descriptors", "connections"), [(1024, 204), (20_000, 7795), (1_000_000, 20_000), (64, 100)])
def test_connections_fit_into_the_descriptors(descriptors: int, connections: int) -> None:
    assert most_connections(descriptors) == connections
    assert descriptors < 300 or connections * 2 + 100 < descriptors
