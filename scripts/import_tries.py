"""Try alterations with tests that import the product anew.

No module of ours is loaded where this forks, so each child imports the altered module and nothing
has seen the original.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import importlib.abc
import importlib.machinery
import importlib.util
import io
import itertools
import os
import resource
import select
import signal
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from scripts.mutations import Mutation
from scripts.tests_by_line import TestsByLine
from scripts.tried_process import begin, end

__all__ = ["ImportTries", "each_tried", "tried"]

WORKERS = 2
_SECONDS = 20
"""For the tests of one file on one alteration, beside ten times what they take else."""
_SECONDS_OF_TESTS = 40.0
"""Of the tests that one alteration may go through: of its own file, then of the quick files."""
_LAST_SECONDS = 900
"""For all of them."""
_BYTES = 4 * 1024**3
"""Of memory for one."""


class _Altered(importlib.machinery.SourceFileLoader):
    """Loads a module from an altered tree."""

    def __init__(self, name: str, path: str, tree: ast.Module) -> None:
        super().__init__(name, path)
        self._tree = tree

    def get_code(self, fullname: str) -> Any:
        return compile(self._tree, self.path, "exec")


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the altered module before the true one."""

    def __init__(self, loader: _Altered) -> None:
        self._loader = loader

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self._loader.name:
            return None
        return importlib.util.spec_from_loader(fullname, self._loader)


class _Chosen:
    """A pytest plugin: runs these tests only; which of them failed."""

    def __init__(self, tests: Collection[str]) -> None:
        self._tests = tests
        self.failed = ""

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if item.nodeid in self._tests]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self.failed:
            self.failed = report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and not self.failed:
            self.failed = f"{report.nodeid} (not even collected)"


class ImportTries:
    """Runs tests on one alteration, in a process that is used once.

    Parameters
    ----------
    root
        The checkout.
    arguments
        Of pytest.
    by_line
        Which test runs which line.
    latest
        A file that lists the files of tests that found alterations out, the latest first.
    at_import
        The tests that look at what an import has left; they run none of its lines.
    """

    def __init__(
        self,
        root: Path,
        arguments: Sequence[str],
        by_line: TestsByLine,
        latest: Path,
        at_import: tuple[str, ...],
    ) -> None:
        self._root = root
        self._arguments = arguments
        self._by_line = by_line
        self._latest = latest
        self._at_import = {test for test in by_line.seconds if test.startswith(at_import)}
        self._importers = _importers(root)

    def tests(self, mutation: Mutation) -> set[str]:
        """Return what runs the altered lines; of what runs at an import, what runs its users."""
        file, (first, last) = mutation.file, mutation.place.lines
        if mutation.function.rpartition(".")[2].islower():
            return self._by_line.of(file, range(first, last + 1))
        users = [mutation.module, *self._importers.get(mutation.module, ())]
        files = [f"{user.replace('.', '/')}.py" for user in users]
        found = {test for user in files for test in self._by_line.of(user, range(1, 10_000))}
        return found | self._at_import

    def failing_test(self, mutation: Mutation | None, tests: set[str]) -> str:
        """Return the test that fails with an alteration or, if it is None, without; or nothing."""
        if not tests:
            return ""
        signal.signal(signal.SIGALRM, _too_long)
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (_BYTES, hard))
        gc.disable()
        own: list[str] = []
        if mutation:
            path = str(self._root / mutation.file)
            loader = _Altered(mutation.module, path, mutation.altered(in_place=True))
            sys.meta_path.insert(0, _Finder(loader))
            own = self._by_line.own(mutation.module, tests - self._at_import, _SECONDS_OF_TESTS)
        at_import = tests & self._at_import
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            failed = self._first_failure(at_import) or self._first_failure(own)
            failed = failed or self._first_failure(tests - at_import - {*own})
        signal.alarm(0)
        return failed

    def _first_failure(self, tests: Collection[str]) -> str:
        latest = self._latest.read_text().split()
        files = self._by_line.files(tests, _SECONDS_OF_TESTS)
        files = [*(f for f in latest if f in files), *(f for f in files if f not in latest)]
        for file in files:
            chosen = {test for test in tests if test.startswith(f"{file}::")}
            took = sum(self._by_line.seconds[test] for test in chosen)
            signal.alarm(_SECONDS + 10 * int(took))
            plugin = _Chosen(chosen)
            try:
                code = pytest.main([*self._arguments, file], plugins=[plugin])
            except TimeoutError:
                return f"{file} (did not end)"
            if code not in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}:
                self._latest.write_text("\n".join([file, *(f for f in latest if f != file)]))
                return plugin.failed or f"{file}: {code!r}"
        return ""


Try = Callable[[Mutation], str]
"""Returns the test that fails, or nothing."""


def tried(
    try_one: Try, mutations: Iterable[Mutation], tries: ImportTries, by_line: TestsByLine
) -> Iterator[tuple[Mutation, str]]:
    """Yield each alteration with the test that fails with it, and passes without it."""
    sound: set[str] = set()
    waiting = [*mutations]
    while waiting:
        again: list[Mutation] = []
        for mutation, test in each_tried(try_one, waiting):
            if test in by_line.seconds and test not in sound:
                if end(*begin(partial(tries.failing_test, None, {test}))):
                    print(f"fails as it is: {test}", flush=True)
                    del by_line.seconds[test]
                    again.append(mutation)
                    continue
                sound.add(test)
            yield mutation, test
        waiting = again


@dataclass(frozen=True)
class _Child:
    """A process that tries one alteration."""

    mutation: Mutation
    pid: int
    started: float


def each_tried(try_one: Try, mutations: Iterable[Mutation]) -> Iterator[tuple[Mutation, str]]:
    """Fork for each alteration, a few at a time; yield it with the test that fails."""
    waiting = iter(mutations)
    running: dict[int, _Child] = {}
    while True:
        for mutation in itertools.islice(waiting, WORKERS - len(running)):
            sys.stdout.flush()
            pipe, pid = begin(partial(try_one, mutation))
            running[pipe] = _Child(mutation, pid, time.monotonic())
        if not running:
            return
        for pipe in select.select([*running], [], [], 1)[0]:
            child = running.pop(pipe)
            yield child.mutation, end(pipe, child.pid)
        for child in running.values():
            if time.monotonic() - child.started > _LAST_SECONDS:
                os.killpg(child.pid, signal.SIGKILL)


def _importers(root: Path) -> dict[str, set[str]]:
    """Return which of our modules import each of them."""
    found: dict[str, set[str]] = {}
    for path in (root / "acp_jupyter").rglob("*.py"):
        user = ".".join(path.relative_to(root).with_suffix("").parts)
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module is not None:
                for name in (node.module, *(f"{node.module}.{each.name}" for each in node.names)):
                    found.setdefault(name, set()).add(user)
    return found


def _too_long(*_: object) -> None:
    raise TimeoutError
