"""A line of a project's log as answers show it."""

from api.http.shapes import Moment, View
from api.runtime.protocol import LogLine


class LineView(View):
    """`instance` is the instance's name, which outlives its record."""

    at: Moment
    instance: str
    process: str
    stream: str
    line: str


class LineList(View):
    lines: list[LineView]
    next_cursor: str | None


def line_view(line: LogLine) -> LineView:
    return LineView(at=line.at, instance=line.instance, process=line.process, stream=line.stream, line=line.line)
