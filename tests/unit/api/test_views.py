"""Records into views."""

from datetime import UTC, datetime

from api.edits.webhook import delivery_tokens, pushed_branch, signature_fits
from api.runtime.protocol import InstanceUsage, RequestSample, RequestUsage, Sample
from api.views.metrics import metrics_view
from api.views.project import ProjectViews, project_view
from api.views.status import project_word, webhook_word
from crds.models.instance import Instance, InstanceSpec
from crds.models.project import Project
from crds.models.record import Metadata
from crds.models.scaling import Scaling, ScalingSpec

AT = datetime(2026, 11, 21, 10, 0, 5, tzinfo=UTC)


def project(**status: object) -> Project:
    record = Project(metadata=Metadata(name="shop", namespace="acc-main", uid="11111111-1111-4111-8111-111111111111"))
    return record.model_copy(update={"status": record.status.model_copy(update=status)})


def test_no_field_is_left_out() -> None:
    body = project_view(project(), None, None).model_dump(by_alias=True)
    assert set(body) == {
        *("id", "name", "handle", "status", "url", "runtime", "repository", "branch", "deployId", "instances"),
        *("size", "conditions", "createdAt", "updatedAt"),
    }


def test_status_words() -> None:
    assert project_word(project()) == "pending"
    assert project_word(project(phase="degraded")) == "degraded"
    gone = project(phase="running")
    gone.metadata.deletion_timestamp = AT
    assert project_word(gone) == "deleting"
    assert webhook_word(configured=False, last_delivery="x", last_error="y") == "unconfigured"
    assert webhook_word(configured=True, last_delivery=None, last_error=None) == "waiting"
    assert webhook_word(configured=True, last_delivery="x", last_error=None) == "active"
    assert webhook_word(configured=True, last_delivery="x", last_error="y") == "failing"


def test_kept_views_follow_the_records() -> None:
    views, one = ProjectViews(), project()
    first = views.encoded(one, None, None)
    assert views.encoded(one, None, None) is first
    scaling = Scaling(spec=ScalingSpec(project="shop", instances=7))
    assert b'"desired":7' in views.encoded(one, scaling, None)
    assert b'"degraded"' in views.encoded(project(phase="degraded"), scaling, None)


def test_metrics_sum_over_instances_minute_by_minute() -> None:
    def usage(name: str, *cpu: float) -> InstanceUsage:
        series = [
            Sample(at=AT.replace(second=index * 10), cpu=value, memory_bytes=100) for index, value in enumerate(cpu)
        ]
        return InstanceUsage(
            namespace="n", project="p", process="web", instance=name, cpu=cpu[-1], memory_bytes=100, series=series
        )

    requests = RequestUsage(
        window="PT15M",
        total=5,
        errors=1,
        per_second=0.1,
        p50_ms=3,
        sampled=5,
        series=[
            RequestSample(at=AT, requests=2, errors=1),
            RequestSample(at=AT.replace(minute=1), requests=3, errors=0),
        ],
    )
    instances = [Instance(spec=InstanceSpec(workload="w", node="n", size="small"))] * 2
    view = metrics_view(instances, [usage("a", 0.1, 0.3), usage("b", 0.5)], requests)
    assert round(view.cpu.cores or 0, 6) == 0.8
    assert view.cpu.limit == 0.5
    assert view.memory.bytes == 200
    assert [(point.at.minute, point.requests, point.errors) for point in view.series] == [(0, 2, 1), (1, 3, 0)]
    assert round(view.series[0].cpu or 0, 6) == 0.7
    assert view.series[0].memory_bytes == 200
    assert view.series[1].cpu is None


def test_nothing_runs() -> None:
    view = metrics_view([], [], None)
    assert (view.cpu.cores, view.memory.bytes, view.requests.total, view.series) == (0, 0, None, [])


def test_the_published_signature() -> None:
    import hashlib
    import hmac

    digest = hmac.new(b"It's a Secret to Everybody", b"Hello, World!", hashlib.sha256).digest()
    published = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    assert signature_fits(digest, published)
    for wrong in ("", published[:-1], published.upper(), published.replace("sha256=", "sha1="), published + "0"):
        assert not signature_fits(digest, wrong)


def test_branches_and_tokens() -> None:
    assert pushed_branch(b'{"ref": "refs/heads/a/b"}') == "a/b"
    assert pushed_branch(b'{"ref": "refs/tags/v1"}') is None
    assert pushed_branch(b'{"ref": "refs/heads/x", "deleted": true}') is None
    same = delivery_tokens("u", "d", b"b", "h")
    assert len(same) == 2
    assert same[1] in delivery_tokens("u", "d", b"other", "other")
    assert same[0] in delivery_tokens("u", "", b"b", "h")
    assert not set(same) & set(delivery_tokens("v", "d", b"b", "h"))
