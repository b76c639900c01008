"""Alter the product, one place at a time: a test must fail.

Of ``packets`` each word, table entry and number is altered, and what its functions decide; of
the modules that permissions, rules and the transcript are made of, what their functions decide;
of all others a random sample of that. Every alteration is compiled into a process of its own,
never into the working tree; there those tests run that run the altered lines: first without a new
import, then, of what lives, with one.

What changes nothing that anybody could see is listed in ``tests/equal_alterations.txt`` with its
reason, by the function's name, and is not tried with a new import. ``-v`` says which test found
which alteration out.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import gc
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import io
import itertools
import os
import random
import resource
import select
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests/fake_agents")]

from scripts.module_uses import Uses  # noqa: E402
from scripts.mutations import Mutation, logic_of, words_of  # noqa: E402
from scripts.quick_tries import found_out  # noqa: E402
from scripts.tests_by_line import TestsByLine  # noqa: E402
from scripts.tests_by_process import TestsByProcess  # noqa: E402

WORDS = ("packets", "protocol", "dialects.onyx")
LOGIC = (
    *WORDS,
    *(f"transcript.{name}" for name in ("permission_evidence", "raw_input", "rule_text")),
    *(f"transcript.reduce.{name}" for name in ("reducer", "permissions", "questions", "turns")),
    *(f"transcript.reduce.{name}" for name in ("messages", "tool_calls", "tool_fields")),
    *(f"transcript.reduce.{name}" for name in ("terminals",)),
    *(f"host.requests.{name}" for name in ("permissions", "policy", "answers", "rules", "trust")),
    *(f"host.requests.{name}" for name in ("protected_paths", "host_permissions", "waiting")),
    *(f"host.requests.rule_{name}" for name in ("commands", "shell", "wrappers")),
    "host.store.permission_stores",
)
"""Packages and modules of which everything is altered."""
SAMPLE = 300
"""Of all others."""
_FOLDERS = ("acceptance", "agents", "api", "conformance", "contract", "dialects", "host", "kernel")
TESTS = (
    *(f"tests/{folder}" for folder in (*_FOLDERS, "protocol", "sessions", "transcript")),
    *sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("tests/notebook_tools/test_*.py")),
)
PURE_TESTS = (
    *(f"tests/{folder}/" for folder in ("acceptance", "contract", "dialects", "protocol")),
    *(f"tests/conformance/test_{name}.py" for name in ("received", "tolerated", "sdk_shapes")),
    "tests/transcript/",
    "tests/host/requests/",
    "tests/host/store/test_permission_stores.py",
)
"""Those that are tried first on what is altered whole: they start nothing, and are quick."""
AT_IMPORT = (
    *(f"tests/contract/test_{name}.py" for name in ("notes", "public_names", "wire")),
    "tests/protocol/test_patterns.py",
)
"""They look at what an import has left, and run none of its lines."""
PROCESS_TESTS = ("batches", "checks", "hosts", "kernel", "sessions", "server")
"""For what the others let live: the server or the kernel has a process of its own there."""
EQUAL = ROOT / "tests/equal_alterations.txt"
WORKERS = 2
SECONDS = 20
"""For the tests of one file on one alteration, beside ten times what they take else."""
SECONDS_OF_TESTS = 40.0
"""Of the tests that one alteration may go through: of its own file, then of the quick files."""
LAST_SECONDS = 900
"""For all of them."""
BYTES = 4 * 1024**3
"""Of memory for one."""
PASSED = "passed"

PYTEST = ["-x", "-q", "-c", os.devnull, "--rootdir", str(ROOT), "--import-mode=importlib"]
PYTEST += ["-o", "asyncio_mode=strict", "-o", "asyncio_default_fixture_loop_scope=function"]
PYTEST += ["-p", "pytest_asyncio.plugin", "-p", "xdist.plugin", "-p", "_hypothesis_pytestplugin"]
PYTEST += ["-m", "not long and not e2e and not agents"]
PYTEST += ["--assert=plain", "-p", "no:cacheprovider", "-p", "no:warnings"]
PYTEST += ["-p", "no:unraisableexception", "-p", "no:threadexception", "-p", "no:faulthandler"]
WHOLE_PYTEST = [each for each in PYTEST if each != "-x"]
"""Goes on after a test that fails."""


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


class Runner:
    """Runs tests on one alteration, in a process that is good for nothing else."""

    def __init__(self, by_line: TestsByLine, memory: Path) -> None:
        self._by_line = by_line
        self._memory = memory
        """A file that lists the files of tests that found alterations out, the latest first."""
        self._uses = Uses()

    def failing_pure_test(self, mutation: Mutation) -> str:
        """Return the test that fails, or nothing; of what is altered whole, only pure tests."""
        tests = self._tests(mutation)
        pure = {test for test in tests if test.startswith(PURE_TESTS)}
        return self._failing_test(mutation, pure if _is_whole(mutation) else tests)

    def failing_other_test(self, mutation: Mutation) -> str:
        """Return one of the other tests that fails, or nothing."""
        tests = self._tests(mutation) if _is_whole(mutation) else set()
        return self._failing_test(mutation, {t for t in tests if not t.startswith(PURE_TESTS)})

    def _failing_test(self, mutation: Mutation, tests: set[str]) -> str:
        signal.signal(signal.SIGALRM, _too_long)
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (BYTES, hard))
        signal.alarm(SECONDS)
        gc.disable()
        try:
            loader = _Altered(mutation.module, str(ROOT / mutation.file), mutation.altered())
            sys.meta_path.insert(0, _Finder(loader))
            self._uses.replace(mutation.module)
        except Exception as error:  # noqa: BLE001 - whatever an altered module does
            return f"its own import: {error!r}"
        at_import = {test for test in tests if test.startswith(AT_IMPORT)}
        own = self._by_line.own(mutation.module, tests - at_import, SECONDS_OF_TESTS)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            failed = self._first_failure(at_import) or self._first_failure(own)
            failed = failed or self._first_failure(tests - at_import - {*own})
        signal.alarm(0)
        return failed

    def _tests(self, mutation: Mutation) -> set[str]:
        """Return what runs the altered lines; of what runs at an import, what runs its users."""
        file, (first, last) = mutation.file, mutation.place.lines
        if mutation.function.rpartition(".")[2].islower():
            return self._by_line.of(file, range(first, last + 1))
        users = [mutation.module, *self._uses.importers(mutation.module)]
        files = [f"{user.replace('.', '/')}.py" for user in users]
        found = {test for user in files for test in self._by_line.of(user, range(1, 10_000))}
        return found | {test for test in self._by_line.seconds if test.startswith(AT_IMPORT)}

    def _first_failure(self, tests: Collection[str]) -> str:
        latest = self._memory.read_text().split()
        files = self._by_line.files(tests, SECONDS_OF_TESTS)
        files = [*(f for f in latest if f in files), *(f for f in files if f not in latest)]
        for file in files:
            chosen = _Chosen({test for test in tests if test.startswith(f"{file}::")})
            took = sum(self._by_line.seconds[test] for test in chosen._tests)
            signal.alarm(SECONDS + 10 * int(took))
            try:
                code = pytest.main([*PYTEST, file], plugins=[chosen])
            except TimeoutError:
                return f"{file} (did not end)"
            if code not in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}:
                self._memory.write_text("\n".join([file, *(f for f in latest if f != file)]))
                return chosen.failed or f"{file}: {code!r}"
        return ""


def _failing_process_test(by_process: TestsByProcess, mutation: Mutation) -> str:
    file, (first, last) = mutation.file, mutation.place.lines
    files = by_process.of(file, range(first, last + 1))
    source = ast.unparse(mutation.altered())
    return by_process.failing_file(ROOT, file, source, files) if files else ""


def _too_long(*_: object) -> None:
    raise TimeoutError


Try = Callable[[Mutation], str]
"""Returns the test that fails, or nothing."""


@dataclass(frozen=True)
class _Child:
    """A process that tries one alteration."""

    mutation: Mutation
    pid: int
    started: float


def _each(try_one: Try, mutations: Iterable[Mutation]) -> Iterator[tuple[Mutation, str]]:
    """Fork for each alteration, a few at a time; yield it with the test that fails."""
    waiting = iter(mutations)
    running: dict[int, _Child] = {}
    while True:
        for mutation in itertools.islice(waiting, WORKERS - len(running)):
            sys.stdout.flush()
            end, pid = _fork(try_one, mutation)
            running[end] = _Child(mutation, pid, time.monotonic())
        if not running:
            return
        for end in select.select([*running], [], [], 1)[0]:
            with os.fdopen(end) as pipe:
                test = pipe.read()
            child = running.pop(end)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)  # what its tests may have left
            os.waitpid(child.pid, 0)
            yield child.mutation, "" if test == PASSED else test or "it ended its process"
        for child in running.values():
            if time.monotonic() - child.started > LAST_SECONDS:
                os.killpg(child.pid, signal.SIGKILL)


def _living(
    try_one: Try, mutations: Iterable[Mutation], words: str, verbose: bool
) -> Iterator[Mutation]:
    """Try each alteration; yield what lives, and say so."""
    for mutation, test in _each(try_one, mutations):
        if verbose and test:
            print(f"{mutation}\n    {test}", flush=True)
        if not test:
            print(f"{words}: {mutation}", flush=True)
            yield mutation


def _fork(try_one: Try, mutation: Mutation) -> tuple[int, int]:
    """Return the end of a pipe that tells which test failed, and the process."""
    ours, theirs = os.pipe()
    if pid := os.fork():
        os.close(theirs)
        return ours, pid
    try:
        os.setsid()
        os.write(theirs, (try_one(mutation) or PASSED).encode())
    except BaseException:  # noqa: BLE001 - nothing may leave the child
        traceback.print_exc()
    finally:
        os._exit(0)


def _warm_up(tests: Sequence[str]) -> None:
    """Import what every child would import: ours, pytest's plugins, what tests import."""
    for path in sorted((ROOT / "acp_jupyter").rglob("*.py")):
        if not {"agents", "labextension"} & {*path.parts}:
            importlib.import_module(_module(path))
    with contextlib.redirect_stdout(io.StringIO()):
        pytest.main([*PYTEST, "--collect-only", *tests])
    for name in [name for name in sys.modules if name.partition(".")[0] == "tests"]:
        del sys.modules[name]
    gc.freeze()


def _module(path: Path) -> str:
    names = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(names[:-1] if names[-1] == "__init__" else names)


def _mutations(only: Sequence[str], sample: int, seed: int) -> list[Mutation]:
    whole: list[Mutation] = []
    rest: list[Mutation] = []
    for path in sorted((ROOT / "acp_jupyter").rglob("*.py")):
        name, source = _module(path).removeprefix("acp_jupyter."), path.read_text()
        if path.name == "__init__.py" or (only and not _is_of(name, only)):
            continue
        if _is_of(name, WORDS):
            whole += words_of(_module(path), source)
        logic = logic_of(_module(path), source)
        if only or _is_of(name, LOGIC):
            whole += logic
        else:
            rest += logic
    return whole + random.Random(seed).sample(rest, min(sample, len(rest)))  # noqa: S311


def _is_whole(mutation: Mutation) -> bool:
    """Return whether all of its module is altered."""
    return _is_of(mutation.module.removeprefix("acp_jupyter."), LOGIC)


def _is_of(module: str, named: Iterable[str]) -> bool:
    return any(module == name or module.startswith(f"{name}.") for name in named)


def _by_process(alive: Collection[Mutation]) -> TestsByProcess:
    """Return which lines the tests of `PROCESS_TESTS` run; if nothing lives, run none."""
    folders = PROCESS_TESTS if alive else ()
    found = [
        path for each in folders for path in sorted((ROOT / "tests" / each).rglob("test_*.py"))
    ]
    return TestsByProcess.run(ROOT, [path.relative_to(ROOT).as_posix() for path in found], WORKERS)


def _equal() -> Counter[str]:
    """Return what is listed as equal, and how often."""
    lines = EQUAL.read_text().splitlines() if EQUAL.exists() else []
    return Counter(line.partition("  # ")[0] for line in lines if line and line[0] != "#")


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", help="packages or modules, e.g. host.rules")
    parser.add_argument("--sample", type=int, default=SAMPLE)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("-v", "--verbose", action="store_true")
    arguments = parser.parse_args()
    os.chdir(ROOT)
    for name in (*WORDS, *LOGIC, *arguments.modules):
        path = ROOT / "acp_jupyter" / name.replace(".", "/")
        if not (path.is_dir() or path.with_suffix(".py").is_file()):
            parser.error(f"there is no module acp_jupyter.{name}")
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    started = time.monotonic()
    _warm_up(TESTS)
    by_line = TestsByLine.run(ROOT, WHOLE_PYTEST, [TESTS[part::WORKERS] for part in range(WORKERS)])
    if not by_line.seconds:
        print("No test passes.")
        return 1
    mutations = _mutations(arguments.modules, arguments.sample, arguments.seed)
    print(f"{len(mutations)} alterations; seed of the sample: {arguments.seed}", flush=True)
    count = len(mutations)
    for mutation, test in found_out(ROOT, [*WHOLE_PYTEST, *TESTS], (*mutations,), by_line):
        mutations.remove(mutation)
        if arguments.verbose:
            print(f"{mutation}\n    {test}", flush=True)
    equal, rest = _equal(), []
    for mutation in mutations:
        if equal[mutation.key]:
            equal[mutation.key] -= 1
        else:
            rest.append(mutation)
    listed = len(mutations) - len(rest)
    print(
        f"{len(mutations)} live without an import, of them {listed} that are listed; "
        f"{time.monotonic() - started:.0f} s",
        flush=True,
    )
    with tempfile.NamedTemporaryFile() as memory:
        runner, show = Runner(by_line, Path(memory.name)), arguments.verbose
        alive = [*_living(runner.failing_pure_test, rest, "lives so far", show)]
        print(f"{len(alive)} live so far; {time.monotonic() - started:.0f} s", flush=True)
        alive = [*_living(runner.failing_other_test, alive, "lives still", show)]
    print(f"{len(alive)} live still; {time.monotonic() - started:.0f} s", flush=True)
    by_process = partial(_failing_process_test, _by_process(alive))
    lived = len([*_living(by_process, alive, "lives", show)])
    share = 100 * (lived + listed) / max(1, count)
    print(
        f"{count} tried, {listed} live and are listed as equal, {lived} live and are not "
        f"({share:.1f} %); {time.monotonic() - started:.0f} s"
    )
    return 1 if lived else 0


if __name__ == "__main__":
    sys.exit(main())
