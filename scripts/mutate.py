"""Alter each word and table entry of the packets, one at a time: a named test must fail.

Every alteration is compiled into a process of its own, never into the working
tree; there the acceptance tests run, those first that found the last one out.
``-v`` says which test found which alteration out; names of modules choose.
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
import select
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from scripts.acceptance import find_proofs  # noqa: E402
from scripts.module_uses import Uses  # noqa: E402
from scripts.mutations import Mutation, mutations_of  # noqa: E402

MODULES = (
    "packets.tools",
    "packets.display",
    "packets.detect",
    "packets.vocabulary",
    "packets.paths",
    "packets.words",
    "packets.content",
    "packets.artifact_types",
    "packets.read_inputs",
    "packets.read_outputs",
    "packets.search_hits",
    "packets.parse.packet",
    "packets.parse.state",
    "packets.parse.tools",
    "packets.parse.session",
    "packets.parse.made",
    "transcript.permissions",
)
WORKERS = 2
SECONDS = 60
"""For the tests of one alteration."""
PASSED = "passed"

PYTEST = ["-x", "-q", "-c", os.devnull, "--rootdir", str(ROOT), "--import-mode=importlib"]
PYTEST += ["--assert=plain", "-p", "no:cacheprovider", "-p", "no:warnings"]
PYTEST += ["-p", "no:unraisableexception", "-p", "no:threadexception", "-p", "no:faulthandler"]


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


class _FirstFailure:
    """A pytest plugin: which test failed."""

    def __init__(self) -> None:
        self.test = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self.test:
            self.test = report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and not self.test:
            self.test = f"{report.nodeid} (not even collected)"


class Runner:
    """Runs the acceptance tests on one alteration, in a process that is good for nothing else."""

    def __init__(self, files: list[str], memory: Path) -> None:
        self._files = files
        self._memory = memory
        """A file that lists the files of tests that found alterations out, the latest first."""
        self._uses = Uses()

    def failing_test(self, mutation: Mutation | None) -> str:
        """Return the test that fails, or nothing."""
        signal.signal(signal.SIGALRM, _too_long)
        signal.alarm(SECONDS)
        gc.disable()
        try:
            if mutation is not None:
                self._alter(mutation)
        except Exception as error:  # noqa: BLE001 - whatever an altered module does
            return f"its own import: {error!r}"
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            return self._first_failure()

    def _alter(self, mutation: Mutation) -> None:
        path = str(ROOT / f"{mutation.module.replace('.', '/')}.py")
        sys.meta_path.insert(0, _Finder(_Altered(mutation.module, path, mutation.tree)))
        self._uses.replace(mutation.module)

    def _first_failure(self) -> str:
        latest = self._memory.read_text().split()
        files = [*latest, *(file for file in self._files if file not in latest)]
        for file in files:
            first = _FirstFailure()
            try:
                code = pytest.main([*PYTEST, file], plugins=[first])
            except TimeoutError:
                return f"{file} (did not end)"
            if code != pytest.ExitCode.OK:
                self._memory.write_text("\n".join([file, *(f for f in latest if f != file)]))
                return first.test or f"{file}: {code!r}"
        return ""


def _too_long(*_: object) -> None:
    raise TimeoutError


def _each(
    runner: Runner, mutations: Iterable[Mutation | None]
) -> Iterator[tuple[Mutation | None, str]]:
    """Fork for each alteration, a few at a time; yield it with the test that fails."""
    waiting = iter(mutations)
    running: dict[int, Mutation | None] = {}
    while True:
        for mutation in itertools.islice(waiting, WORKERS - len(running)):
            running[_fork(runner, mutation)] = mutation
        if not running:
            return
        for end in select.select([*running], [], [])[0]:
            with os.fdopen(end) as pipe:
                test = pipe.read()
            os.wait()
            if not test:
                raise RuntimeError(f"{running[end]} could not be tried")
            yield running.pop(end), "" if test == PASSED else test


def _fork(runner: Runner, mutation: Mutation | None) -> int:
    """Return the end of a pipe that tells which test failed."""
    ours, theirs = os.pipe()
    if os.fork():
        os.close(theirs)
        return ours
    try:
        os.write(theirs, (runner.failing_test(mutation) or PASSED).encode())
    except BaseException:  # noqa: BLE001 - nothing may leave the child
        traceback.print_exc()
    finally:
        os._exit(0)


def _warm_up(files: list[str]) -> None:
    """Import what every child would import: ours, pytest's plugins, what tests import."""
    for module in ("transcript.reduce", "transcript.setup", "packets.reader", *MODULES):
        importlib.import_module(f"acp_jupyter.{module}")
    with contextlib.redirect_stdout(io.StringIO()):
        pytest.main([*PYTEST, "--collect-only", *files])
    for name in [name for name in sys.modules if name.partition(".")[0] == "tests"]:
        del sys.modules[name]
    gc.freeze()


def _test_files() -> list[str]:
    named = {proof.file for proofs in find_proofs().values() for proof in proofs}
    return sorted(file for file in named if file.startswith("tests/acceptance/"))


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", default=MODULES)
    parser.add_argument("-v", "--verbose", action="store_true")
    arguments = parser.parse_args()
    os.chdir(ROOT)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    started = time.monotonic()
    files = _test_files()
    _warm_up(files)
    mutations = [
        mutation
        for module in arguments.modules
        for mutation in mutations_of(
            f"acp_jupyter.{module}",
            (ROOT / "acp_jupyter" / f"{module.replace('.', '/')}.py").read_text(),
        )
    ]
    print(f"{len(mutations)} alterations of {len(arguments.modules)} modules")
    survived: list[Mutation] = []
    with tempfile.NamedTemporaryFile() as memory:
        runner = Runner(files, Path(memory.name))
        for mutation, test in _each(runner, [None, *mutations]):
            if mutation is None and test:
                print(f"The tests fail as they are: {test}")
                return 1
            if mutation is not None and not test:
                survived.append(mutation)
            if arguments.verbose:
                print(f"{mutation}\n    {test or 'survived'}", flush=True)
    for mutation in survived:
        print(f"survived: {mutation}")
    print(f"{len(survived)} survived; {time.monotonic() - started:.0f} s")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
