"""How a ref becomes a commit, and a commit a folder of files; git runs in the sandbox."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from cluster.builder.errors import BuildFailed
from cluster.builder.git_view import git_view
from cluster.builder.log import Stream
from cluster.builder.ownership import own_cache, own_folder
from cluster.builder.reading import read_file, read_text
from cluster.builder.repository import Refused, Repository, check_ref, is_commit, parse_repository
from cluster.builder.step import Sink, Steps, run_sandboxed
from cluster.builder.workshop import Workshop
from cluster.fabric.networks import a_room
from cluster.sandbox.cell import Cell
from cluster.sandbox.confinement import connecting
from cluster.sandbox.view import Mount

# $1 address, $2 commit, $3 ref, $4 most bytes, $5 most files. /git is the project's own mirror, /checkout the result.
_OPEN = r"""
set -eu
cd /git
[ -d objects ] || git init -q --bare .
"""

_FETCH_COMMIT = r"""
if ! git cat-file -e "$2^{commit}" 2>/dev/null; then
  git fetch -q --depth=1 --no-tags --no-recurse-submodules -- "$1" "$2" 2>/checkout/fetch.err ||
    git fetch -q --no-tags --no-recurse-submodules -- "$1" "${3:-HEAD}" || { cat /checkout/fetch.err >&2; exit 20; }
  git cat-file -e "$2^{commit}" 2>/dev/null || exit 21
fi
"""

# Which commit it is is said as soon as it is known.
_FETCH_REF = r"""
git fetch -q --depth=1 --no-tags --no-recurse-submodules -- "$1" "$3" 2>/checkout/fetch.err || exit 20
read -r commit _ <FETCH_HEAD
echo "$commit"
set -- "$1" "$commit" "$3" "$4" "$5"
"""

_WRITE = r"""
git log -1 --format=%B "$2" | head -c 2000 >/checkout/message
git ls-tree -r -l "$2" | awk -v bytes="$4" -v files="$5" '{ s += $4 } END { exit (s > bytes || NR > files) }' || exit 22
git ls-tree -r -z "$2" >/checkout/listing
mkdir /checkout/tree
export GIT_INDEX_FILE=/tmp/index
git read-tree "$2"
git --work-tree=/checkout/tree checkout-index -q -a -f
"""

_UNREADABLE = "The repository could not be read: check its address and that it may be read."
_MOST_COMPLAINTS = 50
_BY_ANYBODY = 0o005
_LISTING_BYTES = 256 * 1024 * 1024
_MESSAGE_BYTES = 8000
_TOO_LARGE = ("RepositoryTooLarge", "The commit's files are more, or larger, than a build may have.")
_QUOTED = re.compile(r"'[^']*'")
_COMPLAINTS = (
    (
        re.compile(r"certificate", re.IGNORECASE),
        "The certificate of the repository's host is not trusted here: a CA of its own is set with --git-ca.",
    ),
    (
        re.compile(r"returned error: 30\d|redirect", re.IGNORECASE),
        "The repository's host sends elsewhere, which is not followed: connect the address that it names.",
    ),
    (
        re.compile(r"could not read Username|returned error: 40[134]|not found|Authentication failed"),
        "There is no such repository, or it is not public: check its address and that it may be read.",
    ),
    (
        re.compile(r"Failed to connect|Connection refused|timed out|Could not connect"),
        "The repository's host cannot be reached: check its address, or try again later.",
    ),
)

_WHY = {
    20: ("FetchFailed", _UNREADABLE),
    21: ("CommitNotFound", "The repository has no such commit."),
    22: _TOO_LARGE,
}


def why_unreadable(complaints: Iterable[str]) -> str:
    """A sentence of ours for what git said: its own words hold addresses, and whatever the other side wrote."""
    said = [_QUOTED.sub("", line) for line in complaints if not line.startswith("remote:")]
    for pattern, sentence in _COMPLAINTS:
        if any(pattern.search(line) for line in said):
            return sentence
    return _UNREADABLE


@dataclass(frozen=True)
class Exported:
    """A commit on disk. `links` are the symbolic links in it, `files` everything, both relative to `tree`."""

    tree: Path
    message: str
    files: tuple[str, ...]
    links: tuple[str, ...]


async def resolve(workshop: Workshop, address: str, ref: str, uid: int | None = None) -> str:
    """The commit at which a branch, tag or (empty ref) the repository's HEAD stands. `uid`: the user that git runs as
    (None: our own). Raises Refused, BuildFailed."""
    repository = _readable(parse_repository(address), uid)
    if is_commit(check_ref(ref)):
        return ref
    wanted = [f"refs/heads/{ref}", f"refs/tags/{ref}", f"refs/tags/{ref}^{{}}"] if ref else ["HEAD"]
    found: dict[str, str] = {}
    complaints: list[str] = []

    def read(stream: Stream, line: str) -> None:
        if stream == "stderr" and len(complaints) < _MOST_COMPLAINTS:
            complaints.append(line)
        commit, _, name = line.partition("\t")
        if stream == "stdout" and name in wanted and is_commit(commit):
            found[name] = commit

    view = await git_view(repository, workshop, ())
    command = ["git", "ls-remote", "-q", "--", repository.url, *wanted]
    async with a_room(workshop.networks) as room:
        cell = Cell(room, confinement=connecting(room, repository.ports), uid=uid)
        code = await run_sandboxed(view, command, workshop.machine, read, cell=cell)
    if code != 0:
        raise BuildFailed("FetchFailed", why_unreadable(complaints))
    for name in (wanted[0], *reversed(wanted[1:])):
        if name in found:
            return found[name]
    raise BuildFailed(
        "RefNotFound", f"The repository has no branch or tag {ref!r}." if ref else "It has no commit yet."
    )


async def export(workshop: Workshop, steps: Steps, source: "Source", mirror: Path, work: Path) -> Exported:
    """Fetch one commit and write its files to a new folder in `work`. Raises Refused, BuildFailed, BuildInterrupted."""
    return await _export(_FETCH_COMMIT, workshop, steps, source, mirror, work, steps.log.output)


async def export_branch(
    workshop: Workshop, steps: Steps, address: str, branch: str, mirror: Path, work: Path, tell: Callable[[str], None]
) -> Exported:
    """The same of whatever commit a branch (empty: HEAD) is at; `tell` gets that before its files are written."""

    def read(stream: Stream, line: str) -> None:
        if stream == "stdout" and is_commit(line):
            tell(line)

    source = Source(address, "", f"refs/heads/{check_ref(branch)}" if branch else "HEAD")
    return await _export(_FETCH_REF, workshop, steps, source, mirror, work, read)


async def _export(
    fetch: str, workshop: Workshop, steps: Steps, source: "Source", mirror: Path, work: Path, sink: Sink
) -> Exported:
    repository = _readable(parse_repository(source.repository), steps.user)
    checkout = own_folder(work / "checkout", steps.user)
    mounts = (Mount(own_cache(mirror, steps.user), "/git", "bind"), Mount(checkout, "/checkout", "bind"))
    view = await git_view(repository, workshop, mounts)
    limits = workshop.limits
    arguments = [repository.url, source.commit, check_ref(source.ref), str(limits.tree_bytes), str(limits.tree_files)]
    command = ["/bin/sh", "-c", _OPEN + fetch + _WRITE, "export", *arguments]
    code = await steps.run(view, command, repository.ports, sink)
    if code != 0:
        raise BuildFailed(*_WHY.get(code, ("ExportFailed", "The commit's files could not be written.")))
    return _read_export(checkout)


@dataclass(frozen=True)
class Source:
    """Which commit of which repository; `ref` is where it was found, in case it cannot be fetched by its hash."""

    repository: str
    commit: str
    ref: str = ""


def _readable(repository: Repository, user: int | None) -> Repository:
    """`user`: the one that git runs as. Raises Refused."""
    if repository.kind == "file":
        folder = Path(repository.path)
        if not folder.is_dir():
            raise Refused("There is no repository at that path.")
        if user is not None and folder.stat().st_mode & _BY_ANYBODY != _BY_ANYBODY:
            raise Refused(
                "Only its owner may read the repository at that path, and git runs as the project's own user here: "
                "let others read it (chmod -R o+rX)."
            )
    return repository


def _read_export(checkout: Path) -> Exported:
    """Raises BuildFailed."""
    listing = read_file(checkout / "listing", _LISTING_BYTES) or b""
    if len(listing) == _LISTING_BYTES:
        raise BuildFailed(*_TOO_LARGE)
    entries = [entry.partition("\t") for entry in listing.decode(errors="replace").split("\0")]
    files = tuple(name for _, tab, name in entries if tab)
    links = tuple(name for mode, tab, name in entries if tab and mode.startswith("120000"))
    message = (read_text(checkout / "message", _MESSAGE_BYTES) or "").strip()
    return Exported(checkout / "tree", message, files, links)


def check_links(exported: Exported) -> None:
    """Raises BuildFailed for a symbolic link out of the repository: whoever follows it would be led elsewhere."""
    for name in exported.links:
        link = exported.tree / name
        if link.is_symlink() and escapes(name, str(link.readlink())):
            raise BuildFailed("UnsafeSymlink", f"The symbolic link {name[:200]!r} points out of the repository.")


def escapes(name: str, target: str) -> bool:
    """Does a link of that name with that target lead above the root? Judged by its words alone."""
    if target.startswith("/"):
        return True
    return _depth_below_zero([*name.split("/")[:-1], *target.split("/")])


def _depth_below_zero(parts: Iterable[str]) -> bool:
    depth = 0
    for part in parts:
        depth += -1 if part == ".." else int(part not in ("", "."))
        if depth < 0:
            return True
    return False
