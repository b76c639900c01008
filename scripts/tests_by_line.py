"""Which tests run a line, and how long each takes."""

from __future__ import annotations

import importlib
import itertools
import json
import os
import sys
import tempfile
import time
import traceback
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

import coverage
import pytest

__all__ = ["TestsByLine", "import_product", "is_named_after", "module_of", "product_files"]

_ONLY_WINDOWS = '\nassert sys.platform == "win32"'

_DATA = "coverage"
_OUTCOMES = "outcomes.json"


class _EachTest:
    """A pytest plugin: names the test that runs now, and keeps which passed after which time."""

    def __init__(self, measured: coverage.Coverage) -> None:
        self._measured = measured
        self._failed: set[str] = set()
        self._seconds: dict[str, float] = defaultdict(float)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._measured.switch_context(nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds[report.nodeid] += report.duration
        if not report.passed:
            self._failed.add(report.nodeid)

    def passed(self) -> dict[str, float]:
        return {test: took for test, took in self._seconds.items() if test not in self._failed}


@dataclass(frozen=True)
class TestsByLine:
    """What one run of tests, in a process of its own, has shown.

    Parameters
    ----------
    seconds
        Of each test that passed.
    """

    __test__ = False

    seconds: dict[str, float]
    _lines: dict[str, dict[int, list[str]]]

    @classmethod
    def run(
        cls, root: Path, arguments: Sequence[str], parts: Iterable[Sequence[str]]
    ) -> TestsByLine:
        """Run tests as pytest's ``arguments`` say, each part of them beside the others."""
        seconds: dict[str, float] = {}
        lines: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
        with tempfile.TemporaryDirectory() as name:
            children: dict[int, Path] = {}
            for number, tests in enumerate(parts):
                folder = Path(name) / str(number)
                folder.mkdir()
                child = os.fork()
                if not child:
                    try:
                        _measure(root, folder, [*arguments, *tests])
                    except BaseException:  # noqa: BLE001 - the parent sees that nothing came
                        traceback.print_exc()
                    finally:
                        os._exit(0)
                children[child] = folder
            for child, folder in children.items():
                os.waitpid(child, 0)
                seconds.update(json.loads((folder / _OUTCOMES).read_text()))
                data = coverage.CoverageData(str(folder / _DATA))
                data.read()
                for file in data.measured_files():
                    known = lines[os.path.relpath(file, root)]
                    for line, found in data.contexts_by_lineno(file).items():
                        known[line] += found
        return cls(seconds, {file: dict(known) for file, known in lines.items()})

    def of(self, file: str, lines: Iterable[int]) -> set[str]:
        """Return the tests that run one of these lines, and pass."""
        known = self._lines.get(file, {})
        found = {test for line in lines for test in known.get(line, ())}
        return found & self.seconds.keys()

    def own(self, module: str, tests: Collection[str], seconds: float) -> list[str]:
        """Return the tests of the files that are named after a module, the quickest first."""
        name = module.rpartition(".")[2]
        found = sorted(
            (test for test in tests if is_named_after(test, name)), key=self.seconds.__getitem__
        )
        sums = itertools.accumulate(self.seconds[test] for test in found)
        return [test for test, total in zip(found, sums, strict=True) if total <= seconds]

    def files(self, tests: Collection[str], seconds: float) -> list[str]:
        """Return the files of tests, the quickest first, as many as ``seconds`` are enough for."""
        took: dict[str, float] = defaultdict(float)
        for test in tests:
            took[test.partition("::")[0]] += self.seconds[test]
        ordered = sorted(took, key=took.__getitem__)
        sums = itertools.accumulate(took[file] for file in ordered)
        return [file for file, total in zip(ordered, sums, strict=True) if total <= seconds]


def is_named_after(test: str, module: str) -> bool:
    """Return whether the file of a test is named after a module, given without its package."""
    subject = PurePath(test.partition("::")[0]).stem.removeprefix("test_")
    return subject.startswith(module) or module.startswith(subject)


def product_files(root: Path) -> Iterator[Path]:
    """Yield the files of our modules, but of those that need another operating system."""
    for path in sorted((root / "acp_jupyter").rglob("*.py")):
        if sys.platform == "win32" or _ONLY_WINDOWS not in path.read_text():
            yield path


def import_product(root: Path) -> None:
    """Import every module of ours but those that are programs."""
    for path in product_files(root):
        if not {"agents", "labextension"} & {*path.relative_to(root).parts}:
            importlib.import_module(module_of(root, path))


def module_of(root: Path, path: Path) -> str:
    """Return the name of the module in a file."""
    return ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")


def _measure(root: Path, folder: Path, arguments: Sequence[str]) -> None:
    measured = coverage.Coverage(
        data_file=str(folder / _DATA), source=[str(root / "acp_jupyter")], config_file=False
    )
    import_product(root)
    each = _EachTest(measured)
    started = time.monotonic()
    measured.start()
    pytest.main([*arguments], plugins=[each])
    measured.stop()
    measured.save()
    (folder / _OUTCOMES).write_text(json.dumps(each.passed()))
    print(f"{len(each.passed())} tests pass; {time.monotonic() - started:.0f} s")
