"""Try alterations of functions on tests that are collected once.

A process that has collected all tests forks for each alteration. The child gives the altered code
to the functions that are loaded already, and runs its tests. That takes a tenth of the time of a
new import, but what an import has made of the function before is not made again: what lives here
is tried again by `mutate`, with an import.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import os
import resource
import select
import signal
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType
from typing import TextIO

import pytest

from scripts.mutations import Mutation
from scripts.tests_by_line import TestsByLine

__all__ = ["found_out"]

WORKERS = 2
_CPU_SECONDS = 20
_SECONDS = 120.0
"""For the tests of one alteration, where they wait."""
_BYTES = 4 * 1024**3
_LATEST = 40
"""Tests that found an alteration out are tried first on the next one of the same module."""


def found_out(
    root: Path,
    arguments: Sequence[str],
    mutations: Sequence[Mutation],
    by_line: TestsByLine,
) -> Iterator[tuple[Mutation, str]]:
    """Yield the alterations that a test fails with, and that test."""
    ours, theirs = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(ours)
        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, 1)
        try:
            with os.fdopen(theirs, "w", buffering=1) as results:
                tries = _Tries(root, mutations, by_line, results)
                pytest.main([*arguments], plugins=[tries])
        finally:
            os._exit(0)
    os.close(theirs)
    with os.fdopen(ours) as results:
        for line in results:
            number, _, test = line.strip().partition(" ")
            yield mutations[int(number)], test
    os.waitpid(pid, 0)


@dataclass(frozen=True)
class _Child:
    number: int
    pid: int
    started: float


class _Tries:
    """A pytest plugin that tries alterations in place of running the tests."""

    def __init__(
        self,
        root: Path,
        mutations: Sequence[Mutation],
        by_line: TestsByLine,
        results: TextIO,
    ) -> None:
        self._root = root
        self._mutations = mutations
        self._by_line = by_line
        self._results = results
        self._items: dict[str, pytest.Item] = {}
        self._functions: dict[str, list[FunctionType]] = defaultdict(list)
        self._latest: dict[str, list[str]] = defaultdict(list)
        self._failed = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Notice a failure."""
        if report.failed and not self._failed:
            self._failed = report.nodeid

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try each alteration in a process of its own."""
        self._items = {item.nodeid: item for item in session.items}
        gc.unfreeze()  # what is frozen is not listed
        for each in gc.get_objects():
            if isinstance(each, FunctionType):
                self._functions[each.__code__.co_filename].append(each)
        gc.freeze()
        waiting = iter([i for i, each in enumerate(self._mutations) if _is_of_function(each)])
        running: dict[int, _Child] = {}
        while True:
            while len(running) < WORKERS and (number := next(waiting, None)) is not None:
                end, pid = self._fork(number)
                running[end] = _Child(number, pid, time.monotonic())
            if not running:
                return True
            for end in select.select([*running], [], [], 1)[0]:
                self._ended(end, running.pop(end))
            for child in running.values():
                if time.monotonic() - child.started > _SECONDS:
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(child.pid, signal.SIGKILL)

    def _ended(self, end: int, child: _Child) -> None:
        with os.fdopen(end) as pipe:
            said = pipe.read()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        os.waitpid(child.pid, 0)
        if said == "lives":
            return
        latest = self._latest[self._mutations[child.number].module]
        if said in self._items:
            if said in latest:
                latest.remove(said)
            latest.insert(0, said)
            del latest[_LATEST:]
        print(child.number, said or "it did not end", file=self._results, flush=True)

    def _fork(self, number: int) -> tuple[int, int]:
        ours, theirs = os.pipe()
        if pid := os.fork():
            os.close(theirs)
            with contextlib.suppress(OSError):
                os.setpgid(pid, pid)
            return ours, pid
        try:
            os.setpgid(0, 0)
            os.write(theirs, self._try(self._mutations[number]).encode())
        except BaseException as error:  # noqa: BLE001 - nothing may leave the child
            os.write(theirs, f"it ended the test process: {error!r}".encode())
        finally:
            os._exit(0)

    def _try(self, mutation: Mutation) -> str:
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (_BYTES, hard))
        if not self._altered(mutation):
            return "lives"
        signal.signal(signal.SIGPROF, _too_long)
        signal.setitimer(signal.ITIMER_PROF, _CPU_SECONDS)
        items = self._chosen(mutation)
        for item, following in zip(items, [*items[1:], None], strict=True):
            try:
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            except TimeoutError:
                return item.nodeid
            if self._failed:
                return self._failed
        return "lives"

    def _chosen(self, mutation: Mutation) -> list[pytest.Item]:
        """Return its tests, the likeliest and then the quickest first, in order of their file."""
        first, last = mutation.place.lines
        known = self._by_line.of(mutation.file, range(first, last + 1))
        tests = {test for test in known if test in self._items}
        latest = [test for test in self._latest[mutation.module] if test in tests]
        files = self._by_line.files(tests - {*latest}, _SECONDS / 3)
        by_file: dict[str, list[str]] = defaultdict(list)
        for test in sorted(tests - {*latest}):
            by_file[test.partition("::")[0]].append(test)
        ordered = [*latest, *(test for file in files for test in by_file[file])]
        return [self._items[test] for test in ordered]

    def _altered(self, mutation: Mutation) -> bool:
        """Give the altered code to the functions of its module; return whether any took it."""
        file = str(self._root / mutation.file)
        functions = self._functions.get(file, [])
        new = dict(_codes(compile(mutation.altered(in_place=True), file, "exec")))
        took = False
        for function in functions:
            code = function.__code__
            altered = new.get((code.co_qualname, code.co_firstlineno))
            if altered is not None and altered != code:
                try:
                    function.__code__ = altered
                except ValueError:  # it has other free variables
                    return False
                took = True
        return took


def _codes(code: CodeType) -> Iterator[tuple[tuple[str, int], CodeType]]:
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield (each.co_qualname, each.co_firstlineno), each
            yield from _codes(each)


def _is_of_function(mutation: Mutation) -> bool:
    """Return whether it is in the body of a function."""
    node: object = mutation.tree
    for step in mutation.place.path:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and step == "body":
            return True
        if isinstance(node, ast.Dict):
            break  # what follows is the number of an entry
        node = node[int(step)] if isinstance(node, list) else getattr(node, str(step))
    return False


def _too_long(*_: object) -> None:
    raise TimeoutError
