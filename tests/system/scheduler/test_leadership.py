"""Who schedules, and that nothing is written when nothing happens."""

import asyncio
import os
import signal
import sys
from dataclasses import replace

from cluster.scheduler.config import SchedulerConfig
from cluster.scheduler.scheduler import run
from crds.client.client import Client
from crds.models.core import Lease
from crds.names import SYSTEM_NAMESPACE
from tests.contract.apiserver.server import ROOT
from tests.system.scheduler.world import Agent, Looking, background, workload
from tests.unit.cluster.eventually import eventually

_MAIN = """
import sys
from pathlib import Path
import uvloop
from cluster.scheduler.config import SchedulerConfig
from cluster.scheduler.scheduler import run
uvloop.run(run(SchedulerConfig(Path(sys.argv[1]), "scheduler-a", renew_every=0.2, lost_after=1.0)))
"""


async def test_a_second_scheduler_waits_and_takes_over_at_once(
    config: SchedulerConfig, client: Client, looking: Looking
) -> None:
    async with background(Agent(client, "a").run()), background(run(config)) as first:
        await client.create(workload())
        await eventually(looking.ready(1))
        async with background(run(replace(config, identity="scheduler-b"))):
            await asyncio.sleep(0.5)
            lease = await client.get(Lease, "scheduler", SYSTEM_NAMESPACE)
            assert lease.spec.holder_identity == "scheduler-a"
            first.cancel()
            await asyncio.gather(first, return_exceptions=True)
            await client.create(workload("second"))
            await eventually(looking.ready(1, "second"), seconds=5)


async def test_kill_9_and_back(config: SchedulerConfig, client: Client, looking: Looking) -> None:
    command = [sys.executable, "-c", _MAIN, str(config.kubeconfig)]
    environment = {"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]}
    async with background(Agent(client, "a", cpu=64).run()):
        for round_ in range(3):
            process = await asyncio.create_subprocess_exec(*command, env=environment)
            try:
                names = [f"w{round_}-{number}" for number in range(10)]
                for name in names:
                    await client.create(workload(name, replicas=2))
                enough = round_ * 20 + 3
                await eventually(lambda enough=enough: len(looking.instances) > enough, seconds=20)  # type: ignore[misc]
            finally:
                process.send_signal(signal.SIGKILL)
                await process.wait()
        async with background(run(config)):
            for round_ in range(3):
                for number in range(10):
                    await eventually(looking.ready(2, f"w{round_}-{number}"))
            assert len(looking.instances) == 60


async def test_a_quiet_time_writes_no_record(config: SchedulerConfig, client: Client, looking: Looking) -> None:
    async with background(run(config)), background(Agent(client, "a", cpu=64).run()):
        for number in range(30):
            await client.create(workload(f"w{number}"))
        for number in range(30):
            await eventually(looking.ready(1, f"w{number}"))
        await asyncio.sleep(0.5)
        changes: list[object] = []
        looking.instances.subscribe(lambda _old, new: changes.append(new))
        looking.workloads.subscribe(lambda _old, new: changes.append(new))
        await asyncio.sleep(3)
        assert changes == []
