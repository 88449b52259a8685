"""When an instance counts as ready: it listens, and GET of its path answers below 500."""

import asyncio
import contextlib
from dataclasses import dataclass

from cluster.fabric.client import NoAnswer
from cluster.fabric.networks import Networks, endpoint_of

_FIRST_PAUSE, _LONGEST_PAUSE = 0.005, 0.25
# A look costs a refused connection; so the time lost after an instance is ready stays below a twentieth of its start.
_SLOWER = 1.04
_ANSWER_SECONDS = 5.0


@dataclass(frozen=True)
class Verdict:
    """`problem`: why it is not ready, as the end of a sentence about the instance."""

    ready: bool
    problem: str = ""


async def check(networks: Networks, address: str, path: str) -> Verdict:
    """One look. Never raises for what the instance does."""
    host = endpoint_of(address)[0]
    try:
        async with asyncio.timeout(_ANSWER_SECONDS):
            connected = await networks.connect(address)
            reader, writer = await asyncio.open_connection(sock=connected, limit=64 * 1024)
    except NoAnswer:
        return Verdict(False, "cannot be looked at just now: the keeper of its network does not answer")
    except (OSError, TimeoutError):
        return Verdict(False, "does not listen on the port that PORT names")
    try:
        async with asyncio.timeout(_ANSWER_SECONDS):
            request = f"GET {path} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: setpoint-health\r\nConnection: close\r\n\r\n"
            writer.write(request.encode())
            line = await reader.readline()
    except TimeoutError:
        return Verdict(False, f"does not answer GET {path} within {_ANSWER_SECONDS:.0f} s")
    except (OSError, ValueError):
        return Verdict(False, f"broke off the answer to GET {path}")
    finally:
        writer.transport.abort()
    return _judge(line, path)


def _judge(line: bytes, path: str) -> Verdict:
    words = line.split()
    if len(words) < 2 or not words[0].startswith(b"HTTP/") or not words[1].isdigit() or len(words[1]) != 3:
        return Verdict(False, f"does not speak HTTP: GET {path} got no status line")
    status = int(words[1])
    return Verdict(True) if status < 500 else Verdict(False, f"answers GET {path} with {status}")


async def until_ready(
    networks: Networks, address: str, path: str, seconds: float, pause: float = _FIRST_PAUSE
) -> Verdict:
    """Looks again and again, `pause` seconds apart at first; the last verdict when the time is over."""
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    verdict = Verdict(False, "was not looked at")
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout_at(end):
            while not (verdict := await check(networks, address, path)).ready:
                await asyncio.sleep(pause)
                pause = max(pause, min(pause * _SLOWER, _LONGEST_PAUSE))
    return verdict
