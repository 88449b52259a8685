"""CPU, memory and request figures of a project as answers show them."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from api.http.shapes import Moment, View
from api.runtime.protocol import InstanceUsage, RequestUsage
from crds.models.instance import Instance
from crds.sizes import SIZES

_BUCKET_SECONDS = 60
DEFAULT_WINDOW = "PT15M"


class CpuView(View):
    """In cores."""

    cores: float | None
    limit: float


class MemoryView(View):
    bytes: int | None
    limit: int


class RequestsView(View):
    """Counts are exact; percentiles come from `sampled` requests. All null while the router does not answer."""

    per_second: float | None
    total: int | None
    errors: int | None
    p50_ms: float | None
    p95_ms: float | None
    p99_ms: float | None
    sampled: int | None


class InstanceFigures(View):
    name: str
    process: str
    cpu: float | None
    memory_bytes: int | None


class PointView(View):
    """One minute: averages of CPU and memory over all instances together, sums of requests."""

    at: Moment
    cpu: float | None
    memory_bytes: int | None
    requests: float | None
    errors: float | None


class MetricsView(View):
    window: str
    cpu: CpuView
    memory: MemoryView
    requests: RequestsView
    instances: list[InstanceFigures]
    series: list[PointView]


def metrics_view(
    instances: Sequence[Instance], usages: Sequence[InstanceUsage], requests: RequestUsage | None
) -> MetricsView:
    """`instances`: those that run (their sizes are the limits); `requests` None: the router is away."""
    sizes = [SIZES[instance.spec.size] for instance in instances]
    known = [usage.cpu for usage in usages if usage.cpu is not None]
    memory = [usage.memory_bytes for usage in usages if usage.memory_bytes is not None]
    return MetricsView(
        window=requests.window if requests else DEFAULT_WINDOW,
        cpu=CpuView(cores=sum(known) if known or not instances else None, limit=sum(size.cpu for size in sizes)),
        memory=MemoryView(
            bytes=sum(memory) if memory or not instances else None, limit=sum(size.memory_bytes for size in sizes)
        ),
        requests=_requests(requests),
        instances=[
            InstanceFigures(name=u.instance, process=u.process, cpu=u.cpu, memory_bytes=u.memory_bytes)
            for u in sorted(usages, key=lambda usage: usage.instance)
        ],
        series=_series(usages, requests),
    )


def _requests(usage: RequestUsage | None) -> RequestsView:
    if usage is None:
        return RequestsView(
            per_second=None, total=None, errors=None, p50_ms=None, p95_ms=None, p99_ms=None, sampled=None
        )
    return RequestsView(
        per_second=usage.per_second,
        total=usage.total,
        errors=usage.errors,
        p50_ms=usage.p50_ms,
        p95_ms=usage.p95_ms,
        p99_ms=usage.p99_ms,
        sampled=usage.sampled,
    )


def _series(usages: Sequence[InstanceUsage], requests: RequestUsage | None) -> list[PointView]:
    cpu = _summed_averages((usage.instance, s.at, s.cpu) for usage in usages for s in usage.series)
    memory = _summed_averages((usage.instance, s.at, s.memory_bytes) for usage in usages for s in usage.series)
    counts: dict[int, float] = defaultdict(float)
    errors: dict[int, float] = defaultdict(float)
    for sample in requests.series if requests else []:
        counts[_bucket(sample.at)] += sample.requests
        errors[_bucket(sample.at)] += sample.errors
    return [
        PointView(
            at=datetime.fromtimestamp(bucket, UTC),
            cpu=cpu.get(bucket),
            memory_bytes=round(memory[bucket]) if bucket in memory else None,
            requests=counts.get(bucket),
            errors=errors.get(bucket),
        )
        for bucket in sorted(cpu.keys() | counts.keys())
    ]


def _summed_averages(samples: Iterable[tuple[str, datetime, float]]) -> dict[int, float]:
    """Bucket -> the sum over instances of each one's average in that bucket."""
    found: dict[tuple[int, str], list[float]] = defaultdict(list)
    for instance, at, value in samples:
        found[_bucket(at), instance].append(value)
    sums: dict[int, float] = defaultdict(float)
    for (bucket, _), values in found.items():
        sums[bucket] += sum(values) / len(values)
    return sums


def _bucket(at: datetime) -> int:
    return int(at.timestamp()) // _BUCKET_SECONDS * _BUCKET_SECONDS
