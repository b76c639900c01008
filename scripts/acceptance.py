"""Find the tests that prove each number of the acceptance list, and run them.

The list is ``tests/acceptance/numbers.txt``. A test in ``tests/acceptance`` proves the
numbers that its docstring starts with. All other tests are listed there with their
numbers: pytest tests by name in ``python.txt``, vitest tests by title in
``front_end.txt``. ``--list`` only prints the tests.
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
ACCEPTANCE = ROOT / "tests/acceptance"
NUMBERS = ACCEPTANCE / "numbers.txt"
PYTHON = ACCEPTANCE / "python.txt"
FRONT_END = ACCEPTANCE / "front_end.txt"
LABEXTENSION = ROOT / "labextension"

_LEADING = re.compile(r"\s*((?:[SC]\d+(?:\.\d+)?(?:, *)?)+)")
_NUMBER = re.compile(r"\bS\d+\.\d+\b")
_VALUE = re.compile(r"%[sdifjoc]|\$\{[^}]*\}|\$[\w.]+")
"""A placeholder in the title of a vitest test that has several cases."""
_BIN = Path(sys.executable).parent
"""Node is installed in the Python environment."""
_SLOW = ("/e2e/", "/real_agents/")
"""Folders whose tests run only for a number that no other test proves."""


@dataclass(frozen=True, slots=True)
class Proof:
    """A test that names a number."""

    number: str
    file: str
    """Relative to the checkout."""
    name: str
    """The function's name, or the title."""

    @property
    def is_python(self) -> bool:
        """Whether it is a pytest test."""
        return self.file.endswith(".py")

    @property
    def is_slow(self) -> bool:
        """Whether it drives a browser or a published agent."""
        return any(folder in self.file for folder in _SLOW)

    @property
    def test(self) -> str:
        """File and name; for pytest its node id."""
        return f"{self.file}::{self.name}"


def read_numbers() -> dict[str, str]:
    """Return the requirement of each number, in the list's order."""
    lines = NUMBERS.read_text().splitlines()
    return dict(line.split(" ", 1) for line in lines if line)


def find_proofs() -> dict[str, list[Proof]]:
    """Return the tests of every number that a test names."""
    found: dict[str, list[Proof]] = defaultdict(list)
    for proof in [*_python_proofs(), *_vitest_proofs()]:
        found[proof.number].append(proof)
    return dict(found)


def _python_proofs() -> Iterator[Proof]:
    """Yield the tests of this folder by their docstrings, all others by their list."""
    files: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        if "node_modules" in path.parts:
            continue
        file = path.relative_to(ROOT).as_posix()
        for name, docstring in _tests_in(ast.parse(path.read_text()), ""):
            if path.parent == ACCEPTANCE:
                leading = _LEADING.match(docstring)
                for number in _NUMBER.findall(leading[1] if leading else ""):
                    yield Proof(number, file, name)
            else:
                function = name.rpartition("::")[2]
                files[function].append((file, name))
                files[f"{path.name}::{function}"].append((file, name))
    for line in PYTHON.read_text().splitlines():
        numbers, function = line.split(": ", 1)
        tests = files[function]
        if len(tests) != 1:
            raise ValueError(f"{PYTHON.name}: {len(tests)} tests are called {function}")
        [(file, name)] = tests
        for number in numbers.split(", "):
            yield Proof(number, file, name)


def _tests_in(node: ast.Module | ast.ClassDef, prefix: str) -> Iterator[tuple[str, str]]:
    """Yield name and docstring of each test of a module or class."""
    for child in node.body:
        if isinstance(child, ast.ClassDef):
            yield from _tests_in(child, f"{prefix}{child.name}::")
        elif not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        elif child.name.startswith("test_"):
            yield prefix + child.name, ast.get_docstring(child) or ""


def _vitest_proofs() -> Iterator[Proof]:
    """Yield the vitest tests of the list; an unknown title in it is an error."""
    files = _vitest_files()
    for line in FRONT_END.read_text().splitlines():
        numbers, title = line.split(": ", 1)
        if title not in files:
            raise ValueError(f"{FRONT_END.name}: no test of the front end is called: {title}")
        for number in numbers.split(", "):
            yield Proof(number, files[title], title)


def _vitest_files() -> dict[str, str]:
    """Return the file of each vitest test by its full title (with its ``describe``s)."""
    sources = sorted(str(p) for p in (LABEXTENSION / "src").rglob("*.test.ts*"))
    script = ROOT / "scripts/test_titles.mjs"
    printed = subprocess.run(
        [_BIN / "node", str(script), *sources], check=True, capture_output=True, text=True
    )
    return {
        test["title"]: Path(test["file"]).relative_to(ROOT).as_posix()
        for test in json.loads(printed.stdout)
    }


# -- the code that the tests reach ------------------------------------------------


@cache
def code() -> Code:
    """Return the parsed source code of product and tests."""
    return Code()


def apart_in(proof: Proof) -> set[str]:
    """Return the functions and classes in a test's file that the product does not run."""
    if not proof.is_python:
        return set()
    module = proof.file.removesuffix(".py").replace("/", ".")
    name = proof.name.split("::")[0]
    return code().reached(f"{module}.{name}", module) & code().unused


def _print_apart(found: dict[str, list[Proof]]) -> None:
    """Print how many numbers test code that the product runs, and the functions kept apart."""
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
    """A pytest plugin that notes for each test whether all its cases passed."""

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
    """Return for each test whether all its cases passed."""
    if not proofs:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        names = sorted({proof.file.removeprefix("labextension/") for proof in proofs})
        options = ["--reporter=default", "--reporter=json", f"--outputFile.json={report}"]
        path = f"{_BIN}{os.pathsep}{os.environ.get('PATH', '')}"
        subprocess.run(
            [_BIN / "jlpm", "vitest", "run", *options, *names],
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
    """Return the fast tests, or the slow ones if there are no others."""
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
    _print_apart(found)
    return 1 if bad else 0


def _list(found: dict[str, list[Proof]]) -> int:
    numbers = read_numbers()
    for number, words in numbers.items():
        print(f"{number:6} {words}")
        for proof in found.get(number, []):
            print(f"       {proof.test}")
    missing = [number for number in numbers if number not in found]
    _print_apart(found)
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
