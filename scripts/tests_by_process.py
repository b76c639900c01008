"""Tests of what runs in a process of its own: which lines run there, and tries on a copy."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import coverage

from scripts.tests_by_line import is_named_after

__all__ = ["TestsByProcess"]

_COPIED = (
    *("acp_jupyter", "tests", "scripts", "docs", "notebooks", "jupyter-config"),
    "pyproject.toml",
)
_PYTEST = ("-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", "-m", "not long")
_SECONDS = 180
"""For one file."""
_SECONDS_OF_FILES = 60
"""For those that one alteration may go through, beside the files of its module."""
_STARTS = """import os
os.environ["COVERAGE_PROCESS_START"] = {rc!r}
import coverage
coverage.process_startup()
"""
_RC = """[run]
parallel = true
sigterm = true
data_file = {data}
source = {source}
"""


@dataclass(frozen=True)
class TestsByProcess:
    """What one run of these tests has shown: the files of tests that run a line."""

    __test__ = False

    _lines: dict[str, dict[int, set[str]]]
    _seconds: dict[str, float]

    @classmethod
    def run(cls, root: Path, files: Iterable[str], workers: int) -> TestsByProcess:
        """Run files of tests, a few at a time."""
        lines: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
        seconds: dict[str, float] = {}
        with ThreadPoolExecutor(workers) as pool:
            for file, found, took in pool.map(lambda file: (file, *_lines(root, file)), files):
                seconds[file] = took
                for path, line in found:
                    lines[path][line].add(file)
        return cls({path: dict(known) for path, known in lines.items()}, seconds)

    def of(self, path: str, lines: Iterable[int]) -> list[str]:
        """Return the files of tests that run one of these lines: the module's, then quick ones."""
        known = self._lines.get(path, {})
        found = {file for line in lines for file in known.get(line, ())}
        own = {file for file in found if is_named_after(file, Path(path).stem)}
        first, rest = (sorted(files, key=self._seconds.__getitem__) for files in (own, found - own))
        sums = itertools.accumulate(self._seconds[file] for file in rest)
        return [
            *first,
            *(f for f, total in zip(rest, sums, strict=True) if total <= _SECONDS_OF_FILES),
        ]

    @staticmethod
    def failing_file(root: Path, path: str, source: str, files: Iterable[str]) -> str:
        """Return the first file of tests that fails with an altered module, or nothing."""
        with _copy(root) as copy:
            (copy / path).unlink()
            (copy / path).write_text(source)
            twice = (f for f in files if _failure(copy, f) and _failure(copy, f))
            return next(twice, "")


def _lines(root: Path, file: str) -> tuple[set[tuple[str, int]], float]:
    """Run a file of tests; return the lines that its processes run, and the seconds it took."""
    found: set[tuple[str, int]] = set()
    started = time.monotonic()
    with _copy(root) as copy:
        rc, data = copy / "rc", copy / "data"
        data.mkdir()
        source = root / "acp_jupyter"  # the copy has links to it
        rc.write_text(_RC.format(data=data / "coverage", source=source))
        (copy / "sitecustomize.py").write_text(_STARTS.format(rc=str(rc)))
        if all(_failure(copy, file) for _ in range(2)):
            return set(), 0.0  # it fails as it is
        took = time.monotonic() - started
        for each in data.iterdir():
            measured = coverage.CoverageData(str(each))
            with contextlib.suppress(coverage.CoverageException):
                measured.read()
                for path in measured.measured_files():
                    name = os.path.relpath(os.path.realpath(path), root)
                    found |= {(name, line) for line in measured.lines(path) or ()}
    return found, took


@contextlib.contextmanager
def _copy(root: Path) -> Iterator[Path]:
    """Make a checkout of links."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder).resolve() / "checkout"
        copy.mkdir()
        for name in _COPIED:
            if (root / name).is_dir():
                shutil.copytree(
                    root / name,
                    copy / name,
                    copy_function=os.symlink,
                    ignore=shutil.ignore_patterns("node_modules", "__pycache__", "golden.tmp"),
                )
            else:
                (copy / name).symlink_to(root / name)
        yield copy


def _failure(copy: Path, file: str) -> bool:
    child = subprocess.Popen(
        [sys.executable, *_PYTEST, file],
        cwd=copy,
        env={**_plain_environment(), "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return child.wait(_SECONDS) != 0
    except subprocess.TimeoutExpired:
        return True
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def _plain_environment() -> dict[str, str]:
    return {k: v for k, v in os.environ.items() if k != "PYTEST_DISABLE_PLUGIN_AUTOLOAD"}
