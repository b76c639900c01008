"""Try alterations on tests that are collected once.

A process that has collected all tests forks for each alteration. The child gives the altered code
to the functions that are loaded already, or the altered table to the modules that have it, and
runs its tests. That takes a tenth of the time of a new import, but what an import has made of the
function or table before is not made again: what lives here is tried again by `mutate`, with an
import.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import os
import re
import resource
import select
import signal
import sys
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import partial
from pathlib import Path
from types import CodeType, FunctionType, MappingProxyType, ModuleType
from typing import Any, TextIO

import pytest

from scripts.mutations import Mutation
from scripts.tests_by_line import TestsByLine, import_product
from scripts.tried_process import begin, end

__all__ = ["found_out"]

WORKERS = 3
"""Some only wait."""
_CPU_SECONDS = 15
_SECONDS = 90.0
"""For the tests of one alteration, where they wait."""
_SECONDS_OF_TESTS = 8.0
_BYTES = 4 * 1024**3
_PATTERNS = "tests/protocol/test_patterns.py::test_what_a_pattern_finds"
"""They run no line of the module whose regular expressions they look at."""
_LATEST = 40
"""Tests that found an alteration out are tried first on the next one of the same module."""


def found_out(
    root: Path,
    arguments: Sequence[str],
    mutations: Sequence[Mutation],
    by_line: TestsByLine,
    first_tests: FirstTests,
) -> Iterator[tuple[Mutation, str]]:
    """Yield the alterations that a test fails with, and that test.

    Of the tests that run the altered lines, those that ``first_tests`` returns are tried. A test
    that fails without an alteration, too, is taken out of ``by_line``.
    """
    ours, theirs = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(ours)
        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, 1)
        try:
            with os.fdopen(theirs, "w", buffering=1) as results:
                import_product(root)
                tries = _Tries(root, mutations, by_line, first_tests, results)
                pytest.main([*arguments], plugins=[tries])
        finally:
            os._exit(0)
    os.close(theirs)
    with os.fdopen(ours) as results:
        for line in results:
            number, _, test = line.strip().partition(" ")
            if number == _NONE:
                print(f"fails as it is: {test}", flush=True)
                by_line.seconds.pop(test, None)
            else:
                yield mutations[int(number)], test
    os.waitpid(pid, 0)


FirstTests = Callable[[Mutation, set[str]], set[str]]

_NONE = "-"
"""The number of no alteration."""


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
        first_tests: FirstTests,
        results: TextIO,
    ) -> None:
        self._root = root
        self._mutations = mutations
        self._by_line = by_line
        self._first_tests = first_tests
        self._results = results
        self._items: dict[str, pytest.Item] = {}
        self._functions: dict[str, list[FunctionType]] = defaultdict(list)
        self._latest: dict[str, list[str]] = defaultdict(list)
        self._waiting = deque(range(len(mutations)))
        self._sound: set[str] = set()
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
        running: dict[int, _Child] = {}
        while True:
            while len(running) < WORKERS and self._waiting:
                number = self._waiting.popleft()
                pipe, pid = begin(partial(self._try, self._mutations[number]))
                running[pipe] = _Child(number, pid, time.monotonic())
            if not running:
                return True
            for pipe in select.select([*running], [], [], 1)[0]:
                self._ended(pipe, running.pop(pipe))
            for child in running.values():
                if time.monotonic() - child.started > _SECONDS:
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(child.pid, signal.SIGKILL)

    def _ended(self, pipe: int, child: _Child) -> None:
        test = end(pipe, child.pid)
        if not test:
            return
        if test in self._items:
            if not self._is_sound(test):
                self._waiting.append(child.number)
                return
            latest = self._latest[self._mutations[child.number].module]
            if test in latest:
                latest.remove(test)
            latest.insert(0, test)
            del latest[_LATEST:]
        print(child.number, test, file=self._results, flush=True)

    def _is_sound(self, test: str) -> bool:
        """Return whether a test passes as it is; if not, forget it."""
        if test not in self._sound:
            if end(*begin(partial(self._run, [self._items[test]]))):
                print(_NONE, test, file=self._results, flush=True)
                del self._items[test]
                return False
            self._sound.add(test)
        return True

    def _try(self, mutation: Mutation) -> str:
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (_BYTES, hard))
        items = self._chosen(mutation)
        try:
            if not items or not self._altered(mutation):
                return ""
        except _ImportFails as error:
            return f"its own import: {error}"
        return self._run(items)

    def _run(self, items: Sequence[pytest.Item]) -> str:
        """Return the test that fails, or nothing."""
        signal.signal(signal.SIGPROF, _too_long)
        signal.setitimer(signal.ITIMER_PROF, _CPU_SECONDS)
        for item, following in zip(items, [*items[1:], None], strict=True):
            try:
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            except BaseException:  # noqa: BLE001 - whatever altered code does
                return item.nodeid
            if self._failed:
                return self._failed
        return ""

    def _chosen(self, mutation: Mutation) -> list[pytest.Item]:
        """Return its tests: what found others out, those of its own file, the quickest files."""
        known = self._by_line.of(mutation.file, _lines(mutation))
        tests = {test for test in self._first_tests(mutation, known) if test in self._items}
        pattern = f"{_PATTERNS}[{mutation.module.removeprefix('acp_jupyter.')}."
        of_import = [test for test in self._items if test.startswith(pattern)]
        of_import = [] if _is_of_function(mutation) else of_import
        latest = [test for test in self._latest[mutation.module] if test in tests]
        own = self._by_line.own(mutation.module, tests - {*latest}, _SECONDS_OF_TESTS)
        rest = tests - {*latest, *own}
        by_file: dict[str, list[str]] = defaultdict(list)
        for test in sorted(rest):
            by_file[test.partition("::")[0]].append(test)
        files = self._by_line.files(rest, _SECONDS_OF_TESTS)
        ordered = [*of_import, *latest, *own, *(test for file in files for test in by_file[file])]
        return [self._items[test] for test in ordered]

    def _altered(self, mutation: Mutation) -> bool:
        """Alter what is loaded; return whether anything is altered."""
        file = str(self._root / mutation.file)
        in_function = _is_of_function(mutation)
        if not in_function and isinstance(_statement(mutation), ast.ClassDef):
            return False  # only an import makes a class anew
        code = compile(mutation.altered(in_place=True), file, "exec")
        if not in_function:
            module = sys.modules.get(mutation.module)
            return module is not None and _replaced(module, code)
        functions = self._functions.get(file, [])
        new = dict(_codes(code))
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


def _replaced(module: ModuleType, code: CodeType) -> bool:
    """Run altered code; put its tables wherever a module has those of before."""
    fresh = ModuleType(module.__name__)
    fresh.__dict__.update(__file__=module.__file__, __package__=module.__package__)
    sys.modules[module.__name__] = fresh  # what dataclasses look at
    try:
        exec(code, fresh.__dict__)  # noqa: S102
    except Exception as error:
        raise _ImportFails(repr(error)) from error
    finally:
        sys.modules[module.__name__] = module
    known = vars(module)
    loaded = {
        id(new): known[name]
        for name, new in vars(fresh).items()
        if isinstance(known.get(name), FunctionType | type | ModuleType) and new is not known[name]
    }
    took = False
    for name, old in [*known.items()]:
        if name.startswith("__") or name not in vars(fresh):
            continue
        if type(old) not in _TABLES and (isinstance(old, type) or not is_dataclass(old)):
            continue
        try:
            new = _with_loaded(vars(fresh)[name], loaded)
        except _Unknown:
            continue
        if old == new:
            continue
        took = True
        for user in [*sys.modules.values()]:
            if getattr(user, "__dict__", {}).get(name) is old:
                setattr(user, name, new)
    return took


_PLAIN = {str, int, float, bool, type(None), re.Pattern}
_TABLES = _PLAIN | {dict, MappingProxyType, tuple, list, set, frozenset}


class _ImportFails(Exception):
    """An altered module can't be imported."""


class _Unknown(Exception):
    """A table has what can't be told from what is loaded."""


def _with_loaded(value: Any, loaded: Mapping[int, Any]) -> Any:
    """Return a value with the functions and classes that are loaded in place of new ones."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if id(value) in loaded:
        return loaded[id(value)]
    if kind is dict:
        pairs = value.items()
        return {_with_loaded(key, loaded): _with_loaded(each, loaded) for key, each in pairs}
    if kind is MappingProxyType:
        return MappingProxyType(_with_loaded(dict(value), loaded))
    if kind in {tuple, list, set, frozenset}:
        return kind(_with_loaded(each, loaded) for each in value)
    if id(kind) not in loaded:
        return value  # of another module, or without a name
    if is_dataclass(value):
        names = [each.name for each in fields(value)]
        return loaded[id(kind)](**{n: _with_loaded(getattr(value, n), loaded) for n in names})
    raise _Unknown


def _lines(mutation: Mutation) -> set[int]:
    """Return the lines that an alteration shows in: its own, or those that use its table."""
    first, last = mutation.place.lines
    if _is_of_function(mutation):
        return {*range(first, last + 1)}
    body, altered = mutation.tree.body, _statement(mutation)
    names = _assigned(altered)
    for statement in body:  # tables that are made of it
        if _assigned(statement) and names & _used(statement):
            names |= _assigned(statement)
    users = [each for each in body if not _assigned(each) and names & _used(each)]
    found = {line for each in users for line in range(each.lineno, (each.end_lineno or 0) + 1)}
    return found or {*range(1, 10_000)}


def _statement(mutation: Mutation) -> ast.stmt:
    return mutation.tree.body[int(mutation.place.path[1])]


def _assigned(statement: ast.stmt) -> set[str]:
    match statement:
        case ast.Assign(targets=targets):
            return {each.id for each in targets if isinstance(each, ast.Name)}
        case ast.AnnAssign(target=ast.Name(id=name)):
            return {name}
        case _:
            return set()


def _used(statement: ast.stmt) -> set[str]:
    return {each.id for each in ast.walk(statement) if isinstance(each, ast.Name)}


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
