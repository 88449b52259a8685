"""The ledger of what instances used: by instance, nothing twice, whatever ends in between."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.egress.tenants import Tenant
from cluster.egress.usage import Count, Ledger, Questions, read_ledger, read_table

TABLE = """# table: used, type: ip, size:65536, used:2
0x7f: key=198.18.0.6 use=0 exp=86399999 shard=0 conn_cnt=2 conn_cur=0 bytes_in_cnt=300 bytes_out_cnt=4000
0x80: key=198.19.0.6 use=1 exp=86399999 shard=0 conn_cnt=1 conn_cur=1 bytes_in_cnt=10 bytes_out_cnt=20
broken key=1
"""
AT = "198.18.0.6"
WHO = {AT: Tenant("acc-main", "shop", "shop-1")}


def now() -> datetime:
    return datetime.now(UTC)


def summed(folder: Path) -> Count:
    lines = [line for path in sorted(folder.glob("*.ndjson")) for line in read_ledger(path)]
    return Count(*(sum(line[field] for line in lines) for field in ("connections", "sent", "received")))


def test_the_table_is_read_and_only_who_has_a_record_is_written_down(tmp_path: Path) -> None:
    counted = read_table(TABLE)
    assert counted == {AT: Count(2, 300, 4000), "198.19.0.6": Count(1, 10, 20)}
    ledger = Ledger(tmp_path)
    ledger.take("1", counted, WHO)
    ledger.write(now())
    ledger.write(now())
    (line,) = read_ledger(next(tmp_path.glob("*.ndjson")))
    assert (line["namespace"], line["project"], line["instance"]) == ("acc-main", "shop", "shop-1")
    assert summed(tmp_path) == Count(2, 300, 4000)


def test_who_has_left_is_charged_for_his_last_bytes(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.take("1", {AT: Count(1, 1, 1)}, WHO)
    ledger.take("1", {AT: Count(1, 5, 9)}, {})
    ledger.write(now())
    assert summed(tmp_path) == Count(1, 5, 9)
    ledger.forget([], now())
    ledger.take("1", {AT: Count(2, 6, 10)}, {})
    ledger.write(now())
    assert summed(tmp_path) == Count(1, 5, 9), "nobody is at that address any more"


def asked(folder: Path) -> list[tuple[int, int]]:
    lines = [line for path in sorted(folder.glob("*.ndjson")) for line in read_ledger(path)]
    return [(line["questions"], line["unanswered"]) for line in lines]


def test_who_asks_has_a_line_and_is_charged_for_no_bytes_again(tmp_path: Path) -> None:
    first = Ledger(tmp_path)
    first.take("1", {AT: Count(1, 5, 9)}, WHO)
    first.ask({AT: Questions(3, 1)}, WHO)
    first.ask({AT: Questions(2, 0), "198.19.0.6": Questions(7, 7)}, WHO)
    first.write(now())
    after_a_kill = Ledger(tmp_path)
    after_a_kill.take("1", {}, WHO)
    after_a_kill.ask({AT: Questions(4, 4)}, WHO)
    after_a_kill.write(now())
    after_a_kill.take("1", {AT: Count(1, 5, 9)}, WHO)
    after_a_kill.ask({AT: Questions(1, 0)}, WHO)
    after_a_kill.write(now())
    after_a_kill.write(now())
    assert asked(tmp_path) == [(5, 1), (4, 4), (1, 0)]
    assert summed(tmp_path) == Count(1, 5, 9)


def test_what_is_asked_before_it_has_a_record_is_kept_for_it_until_nobody_has_come(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.ask({AT: Questions(3, 0)}, {})
    ledger.write(now())
    ledger.ask({AT: Questions(1, 0), "198.19.0.6": Questions(9, 9)}, WHO)
    ledger.forget(WHO, now())
    ledger.ask({}, {"198.19.0.6": WHO[AT]})
    ledger.write(now())
    assert asked(tmp_path) == [(4, 0)]


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("use"), st.integers(0, 1000), st.integers(0, 1000)),
        st.tuples(st.just("look"), st.just(0), st.just(0)),
        st.tuples(st.sampled_from(["write", "kill", "tear", "haproxy"]), st.just(0), st.just(0)),
    ),
    max_size=25,
)


@given(STEPS)
def test_nothing_is_counted_twice_or_lost(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, int]]
) -> None:
    folder = tmp_path_factory.mktemp("usage")
    ledger, worker = Ledger(folder), 1
    total, used = Count(), 0

    def look() -> None:
        ledger.take(str(worker), {AT: total} if total else {}, WHO)

    for what, sent, received in steps:
        if what == "use":
            total = Count(total.connections + 1, total.sent + sent, total.received + received)
            used += sent + received
        elif what == "look":
            look()
        elif what == "write":
            ledger.write(now())
        elif what == "kill":
            ledger = Ledger(folder)
        elif what == "tear":
            for path in folder.glob("*.ndjson"):
                path.write_bytes(path.read_bytes() + b'{"at": "torn')
            ledger = Ledger(folder)
        else:
            look()
            ledger.write(now())
            worker, total = worker + 1, Count()
    look()
    ledger.write(now())
    found = summed(folder)
    assert found.sent + found.received == used


def test_old_days_go(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    for days in (1, 69, 71, 400):
        (tmp_path / f"{now() - timedelta(days=days):%Y-%m-%d}.ndjson").touch()
    ledger.forget([], now())
    assert len(list(tmp_path.iterdir())) == 2
