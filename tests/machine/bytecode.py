"""Compiles here what the machine is to import: there, it would take minutes, and its layer forgets it."""

import os
import py_compile
import sysconfig
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib.util import cache_from_source
from pathlib import Path

_OURS = ("api", "cluster", "controller", "crds", "planning", "setpoint")


def compile_missing(checkout: Path, layer: Path) -> None:
    """Into the layer, where the machine finds it as if it were beside its source."""
    with ProcessPoolExecutor(initializer=os.nice, initargs=(10,)) as pool:
        list(pool.map(partial(_compile, layer), _missing(checkout, layer), chunksize=50))


def _missing(checkout: Path, layer: Path) -> Iterator[Path]:
    paths = sysconfig.get_paths()
    libraries = {Path(paths[name]).resolve() for name in ("purelib", "platlib")}
    for folder in [*libraries, *(checkout / name for name in _OURS)]:
        for source in folder.rglob("*.py"):
            beside = Path(cache_from_source(str(source)))
            changed = source.stat().st_mtime
            if not any(each.exists() and each.stat().st_mtime >= changed for each in (beside, _in(layer, beside))):
                yield source


def _compile(layer: Path, source: Path) -> None:
    target = _in(layer, Path(cache_from_source(str(source))))
    try:
        py_compile.compile(str(source), cfile=str(target), doraise=True)
    except (py_compile.PyCompileError, ValueError):
        # A package's template or example; whoever imports it will say so.
        return


def _in(layer: Path, path: Path) -> Path:
    return layer / path.relative_to("/")
