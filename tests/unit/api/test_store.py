"""The store on real SQLite: migrations, owners, credentials, kept answers, deliveries."""

import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from api.http.idempotency import KeptAnswers
from api.http.reply import Reply
from api.identity.credentials import Credentials
from api.identity.keys import digest
from api.identity.owner import ensure_owner, replace_owner_key
from api.problems import Problem
from api.store import deliveries
from api.store.database import Database, open_engine
from api.store.migrate import HEAD, migrate
from api.store.tables import METADATA
from tests.contract.apiserver.server import ROOT

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'store.db'}"


@pytest.fixture
async def database(url: str) -> AsyncIterator[Database]:
    migrate(url)
    opened = Database(url)
    yield opened
    await opened.close()


def test_the_schema_is_that_of_the_models(url: str) -> None:
    migrate(url)
    engine = open_engine(url)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []
    engine.dispose()
    config = Config()
    config.set_main_option("script_location", str(ROOT / "api" / "store" / "migrations"))
    assert ScriptDirectory.from_config(config).get_heads() == [HEAD]


def test_a_store_that_is_there_costs_no_alembic(url: str) -> None:
    migrate(url)
    code = f"import sys; from api.store.migrate import migrate; migrate({url!r}); print('alembic' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_several_at_once_migrate_once(url: str) -> None:
    code = f"from api.store.migrate import migrate; migrate({url!r})"
    started = [subprocess.Popen([sys.executable, "-c", code], cwd=ROOT) for _ in range(4)]
    assert [process.wait(60) for process in started] == [0] * 4


async def test_the_first_owner_gets_one_key(url: str) -> None:
    first = await ensure_owner(url, handle="main", account_id="acc_1", email="Me@Example.com")
    again = await ensure_owner(url, handle="main", account_id="acc_1", email="me@example.com")
    assert first.api_key
    assert (again.user_id, again.api_key) == (first.user_id, None)
    assert first.api_key not in repr(first)
    other = await ensure_owner(url, handle="other", account_id="acc_2", email="me@example.com")
    assert (other.user_id, bool(other.api_key)) == (first.user_id, True)
    raw = Path(url.removeprefix("sqlite:///")).read_bytes()
    wal = Path(url.removeprefix("sqlite:///") + "-wal")
    raw += wal.read_bytes() if wal.exists() else b""
    assert first.api_key.encode() not in raw
    assert digest(first.api_key) in raw


async def test_a_lost_first_key_is_replaced(url: str, database: Database) -> None:
    assert await replace_owner_key(url, account_id="acc_1") is None
    owner = await ensure_owner(url, handle="main", account_id="acc_1", email="me@example.com")
    new = await replace_owner_key(url, account_id="acc_1")
    credentials = Credentials(database)
    assert await credentials.look_up(owner.api_key or "") is None
    found = await credentials.look_up(new or "")
    assert found is not None
    assert (found.user_id, found.scope) == (owner.user_id, "admin")


async def test_a_key_is_remembered_until_revoked(url: str, database: Database) -> None:
    clock = [NOW]
    owner = await ensure_owner(url, handle="main", account_id="acc_1", email="me@example.com")
    assert owner.api_key
    credentials = Credentials(database, lambda: clock[0])
    assert credentials.remembered(owner.api_key) is None
    found = await credentials.look_up(owner.api_key)
    assert found is not None
    assert (found.user_id, found.account_id, found.scope, found.roles) == (
        owner.user_id,
        "acc_1",
        "admin",
        {"acc_1": "owner"},
    )
    assert credentials.remembered(owner.api_key) is found
    await credentials.note_uses_now()
    with sqlite3.connect(url.removeprefix("sqlite:///")) as direct:
        assert direct.execute("SELECT last_used_at FROM api_keys").fetchone()[0].startswith("2026-11-21 12:00:00")
    direct.close()
    clock[0] += timedelta(seconds=31)  # another replica may have revoked it: look again
    assert credentials.remembered(owner.api_key) is None
    assert await credentials.look_up(owner.api_key)
    assert await credentials.revoke(found.id)
    assert credentials.remembered(owner.api_key) is None
    assert await credentials.look_up(owner.api_key) is None
    assert not await credentials.revoke(found.id)


async def test_a_kept_answer_opens_with_its_key_only(url: str, database: Database) -> None:
    clock, made = [NOW], 0

    async def answer() -> Reply:
        nonlocal made
        made += 1
        return Reply(201, b'{"secret": "hush-%d"}' % made, [(b"location", b"/x")])

    kept = KeptAnswers(database, lambda: clock[0])
    first = await kept.once("key_1", "once", b"POST /x", answer)
    again = await kept.once("key_1", "once", b"POST /x", answer)
    assert (again.status, again.body, again.headers) == (first.status, first.body, first.headers)
    assert made == 1
    with pytest.raises(Problem) as refused:
        await kept.once("key_1", "once", b"POST /y", answer)
    assert refused.value.code == "idempotency_conflict"
    assert (await kept.once("key_2", "once", b"POST /x", answer)).body != first.body
    folder = Path(url.removeprefix("sqlite:///")).parent
    stored = b"".join(file.read_bytes() for file in folder.iterdir())
    assert b"hush" not in stored
    assert b"once" not in stored
    clock[0] += timedelta(hours=25)
    assert (await kept.once("key_1", "once", b"POST /y", answer)).body == b'{"secret": "hush-3"}'
    for bad in ("x" * 256, "a\nb", "ä"):
        with pytest.raises(Problem) as refused:
            await kept.once("key_1", bad, b"", answer)
        assert refused.value.code == "invalid"


async def test_twins_wait_and_a_failure_is_not_kept(database: Database) -> None:
    running = asyncio.Event()
    made = 0

    async def slow() -> Reply:
        nonlocal made
        made += 1
        await running.wait()
        return Reply(200, b"{}") if made > 1 else Reply(503, b"{}")

    kept = KeptAnswers(database, lambda: NOW)
    twins = [asyncio.create_task(kept.once("key_1", "once", b"", slow)) for _ in range(5)]
    while not made:
        await asyncio.sleep(0)
    running.set()
    statuses = [reply.status for reply in await asyncio.gather(*twins)]
    assert statuses == [503, 200, 200, 200, 200]
    assert made == 2


async def test_deliveries_are_forgotten_after_a_day(database: Database) -> None:
    day = timedelta(hours=24)
    await database.run(lambda connection: deliveries.remember(connection, [b"a", b"b"], NOW, NOW - day))
    assert await database.run(lambda connection: deliveries.seen(connection, [b"x", b"b"], NOW - day))
    assert not await database.run(lambda connection: deliveries.seen(connection, [b"x"], NOW - day))
    assert not await database.run(lambda connection: deliveries.seen(connection, [b"a"], NOW + timedelta(seconds=1)))
    await database.run(
        lambda connection: deliveries.remember(connection, [b"a"], NOW + day, NOW + timedelta(seconds=1))
    )
    assert not await database.run(lambda connection: deliveries.seen(connection, [b"b"], NOW - day))


async def test_a_store_that_is_away_is_said_so(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'no' / 'such' / 'folder.db'}")
    with pytest.raises(Problem) as refused:
        await database.run(lambda connection: deliveries.seen(connection, [b"x"], NOW))
    assert refused.value.status == 503
    await database.close()
