"""Say which tests prove each number of the acceptance list, and run them.

The list is ``tests/acceptance/numbers.txt``. A pytest test proves the numbers
that its docstring starts with (``S1.47, S1.48: …``), a vitest test those that
``tests/acceptance/front_end.txt`` has before its title. ``--list`` only says which
tests there are.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from scripts.live_path import Code, read_apart

__all__ = ["Proof", "apart_in", "code", "find_proofs", "read_numbers"]

ROOT = Path(__file__).resolve().parent.parent
NUMBERS = ROOT / "tests/acceptance/numbers.txt"
FRONT_END = ROOT / "tests/acceptance/front_end.txt"
LABEXTENSION = ROOT / "labextension"

_LEADING = re.compile(r"\s*((?:[SC]\d+(?:\.\d+)?(?:, *)?)+)")
_NUMBER = re.compile(r"\bS\d+\.\d+\b")
_VALUE = re.compile(r"%[sdifjoc]|\$\{[^}]*\}|\$[\w.]+")
"""In the title of a vitest test: what stands there of each case."""
_BIN = Path(sys.executable).parent
"""Node comes with the environment."""
_SLOW = ("tests/e2e/", "tests/real_agents/")
"""Run only for a number that nothing else proves."""


@dataclass(frozen=True, slots=True)
class Proof:
    """A test that names a number."""

    number: str
    file: str
    """Relative to the checkout."""
    name: str
    """Of the function, or the title."""

    @property
    def is_python(self) -> bool:
        """Whether it is a pytest test."""
        return self.file.endswith(".py")

    @property
    def is_slow(self) -> bool:
        """Whether it drives a browser or a published agent."""
        return self.file.startswith(_SLOW)

    @property
    def test(self) -> str:
        """File and name; for pytest its node id."""
        return f"{self.file}::{self.name}"


def read_numbers() -> dict[str, str]:
    """Return what each number asks for, in the list's order."""
    lines = NUMBERS.read_text().splitlines()
    return dict(line.split(" ", 1) for line in lines if line)


def find_proofs() -> dict[str, list[Proof]]:
    """Return the tests of every number that a test names."""
    found: dict[str, list[Proof]] = defaultdict(list)
    for proof in [*_python_proofs(), *_vitest_proofs()]:
        found[proof.number].append(proof)
    return dict(found)


def _python_proofs() -> Iterator[Proof]:
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        if "node_modules" not in path.parts:
            file = path.relative_to(ROOT).as_posix()
            yield from _in_body(ast.parse(path.read_text()), file, "")


def _in_body(node: ast.Module | ast.ClassDef, file: str, prefix: str) -> Iterator[Proof]:
    for child in node.body:
        if isinstance(child, ast.ClassDef):
            yield from _in_body(child, file, f"{prefix}{child.name}::")
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            if not child.name.startswith("test_"):
                continue
            leading = _LEADING.match(ast.get_docstring(child) or "")
            for number in _NUMBER.findall(leading[1] if leading else ""):
                yield Proof(number, file, prefix + child.name)


def _vitest_proofs() -> Iterator[Proof]:
    """Yield those of the list, which holds the whole titles, and no title that no test has."""
    files = _vitest_files()
    for line in FRONT_END.read_text().splitlines():
        numbers, title = line.split(": ", 1)
        if title not in files:
            raise ValueError(f"{FRONT_END.name}: no test of the front end is called: {title}")
        for number in numbers.split(", "):
            yield Proof(number, files[title], title)


def _vitest_files() -> dict[str, str]:
    """Return the file of each vitest test, by its title with those of its ``describe``s."""
    sources = sorted(str(p) for p in (LABEXTENSION / "src").rglob("*.test.ts*"))
    script = ROOT / "scripts/test_titles.mjs"
    printed = subprocess.run(
        [_BIN / "node", str(script), *sources], check=True, capture_output=True, text=True
    )
    return {
        test["title"]: Path(test["file"]).relative_to(ROOT).as_posix()
        for test in json.loads(printed.stdout)
    }


# -- what the proofs are about ---------------------------------------------------


@cache
def code() -> Code:
    """Return the source, read once."""
    return Code()


def apart_in(proof: Proof) -> set[str]:
    """Return the functions and classes in a test's file that the product does not run."""
    if not proof.is_python:
        return set()
    module = proof.file.removesuffix(".py").replace("/", ".")
    name = proof.name.split("::")[0]
    return code().reached(f"{module}.{name}", module) & code().unused


def _tell_apart(found: dict[str, list[Proof]]) -> None:
    """Print how many numbers are of code that the product runs, and what is kept apart."""
    numbers = read_numbers()
    of: dict[str, set[str]] = defaultdict(set)
    live: set[str] = set()
    for number in numbers:
        for proof in found.get(number, []):
            apart = apart_in(proof)
            for function in apart:
                of[function].add(number)
            if not apart:
                live.add(number)
    print(f"{len(live)} of {len(numbers)} are proved through code that the product itself runs.")
    only = [number for number in numbers if number not in live]
    print(f"Only through functions that are kept apart: {', '.join(only) or 'none'}.")
    for function, (_, row, shared) in read_apart().items():
        named = ", ".join(number for number in numbers if number in of[function])
        print(f"  {row:4} {function}, above {shared}: {named}")


# -- running -------------------------------------------------------------------


class _Outcomes:
    """A pytest plugin: which tests ran, and which of them passed in every case."""

    def __init__(self) -> None:
        self.passed: dict[str, bool] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        test = report.nodeid.split("[", 1)[0]
        if report.when == "call" or not report.passed:
            self.passed[test] = self.passed.get(test, True) and report.passed


def _run_python(tests: set[str]) -> dict[str, bool]:
    if not tests:
        return {}
    outcomes = _Outcomes()
    pytest.main(["-q", "--no-header", "--rootdir", str(ROOT), *sorted(tests)], plugins=[outcomes])
    return outcomes.passed


def _run_vitest(proofs: list[Proof]) -> dict[str, bool]:
    """Return by test whether it passed in every case."""
    if not proofs:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        names = sorted({proof.file.removeprefix("labextension/") for proof in proofs})
        told = ["--reporter=default", "--reporter=json", f"--outputFile.json={report}"]
        path = f"{_BIN}{os.pathsep}{os.environ.get('PATH', '')}"
        subprocess.run(
            [_BIN / "jlpm", "vitest", "run", *told, *names],
            cwd=LABEXTENSION,
            env={**os.environ, "PATH": path},
            check=False,
        )
        results = json.loads(report.read_text())["testResults"] if report.exists() else []
    cases: dict[str, list[tuple[str, bool]]] = defaultdict(list)
    for result in results:
        file = Path(result["name"]).relative_to(ROOT).as_posix()
        for test in result["assertionResults"]:
            cases[file].append((test["fullName"], test["status"] == "passed"))
    passed: dict[str, bool] = {}
    for proof in proofs:
        pattern = re.compile(".*".join(map(re.escape, _VALUE.split(proof.name))))
        own = [good for name, good in cases[proof.file] if pattern.fullmatch(name)]
        if own:
            passed[proof.test] = all(own)
    return passed


def _chosen(proofs: Iterable[Proof]) -> list[Proof]:
    """Leave the slow ones out where there are others."""
    listed = list(proofs)
    return [proof for proof in listed if not proof.is_slow] or listed


def _check(found: dict[str, list[Proof]]) -> int:
    numbers = read_numbers()
    chosen = {number: _chosen(found.get(number, [])) for number in numbers}
    wanted = [proof for proofs in chosen.values() for proof in proofs]
    passed = _run_vitest([proof for proof in wanted if not proof.is_python])
    passed |= _run_python({proof.test for proof in wanted if proof.is_python})
    bad = 0
    for number, words in numbers.items():
        proofs = chosen[number]
        good = bool(proofs) and all(passed.get(proof.test, False) for proof in proofs)
        bad += not good
        print(f"{'ok  ' if good else 'FAIL'} {number:6} {words}")
        for proof in proofs:
            state = {True: "", False: " (failed)", None: " (did not run)"}[passed.get(proof.test)]
            print(f"            {proof.test}{state}")
        if not proofs:
            print("            no test names it")
    print(f"{len(numbers) - bad} of {len(numbers)} numbers are proved.")
    _tell_apart(found)
    return 1 if bad else 0


def _list(found: dict[str, list[Proof]]) -> int:
    numbers = read_numbers()
    for number, words in numbers.items():
        print(f"{number:6} {words}")
        for proof in found.get(number, []):
            print(f"       {proof.test}")
    missing = [number for number in numbers if number not in found]
    _tell_apart(found)
    print(f"Without a test: {', '.join(missing) or 'none'}.")
    return 1 if missing else 0


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", action="store_true", help="run nothing")
    arguments = parser.parse_args()
    found = find_proofs()
    return _list(found) if arguments.list else _check(found)


if __name__ == "__main__":
    sys.exit(main())
