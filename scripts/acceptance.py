"""Say which tests prove each number of the acceptance list, and run them.

The list is ``tests/acceptance/numbers.txt``. A pytest test proves the numbers
that its docstring starts with (``S1.47, S1.48: …``), a vitest test those in its
title. ``--list`` only says which tests there are.
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
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from scripts.live_path import Apart, LivePath, read_apart  # noqa: E402

__all__ = ["Proof", "find_proofs", "read_numbers", "what_is_wrong"]

NUMBERS = ROOT / "tests/acceptance/numbers.txt"
LABEXTENSION = ROOT / "labextension"

_LEADING = re.compile(r"\s*((?:[SC]\d+(?:\.\d+)?(?:, *)?)+)")
_NUMBER = re.compile(r"\bS\d+\.\d+\b")
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
    calls: frozenset[str] = frozenset()
    """Functions of the product that a pytest test names itself."""

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
            tree = ast.parse(path.read_text())
            yield from _in_body(tree, file, "", _of_product(tree))


def _of_product(tree: ast.Module) -> frozenset[str]:
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    ours = [node for node in imports if (node.module or "").startswith("acp_jupyter")]
    return frozenset(each.name for node in ours for each in node.names if each.name.islower())


def _in_body(
    node: ast.Module | ast.ClassDef, file: str, prefix: str, ours: frozenset[str]
) -> Iterator[Proof]:
    for child in node.body:
        if isinstance(child, ast.ClassDef):
            yield from _in_body(child, file, f"{prefix}{child.name}::", ours)
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            if not child.name.startswith("test_"):
                continue
            leading = _LEADING.match(ast.get_docstring(child) or "")
            named = {each.id for each in ast.walk(child) if isinstance(each, ast.Name)}
            for number in _NUMBER.findall(leading[1] if leading else ""):
                yield Proof(number, file, prefix + child.name, ours & named)


def _vitest_proofs() -> Iterator[Proof]:
    folders = (LABEXTENSION / "src", LABEXTENSION / "tests")
    files = sorted(str(p) for f in folders for p in f.rglob("*.test.ts*"))
    script = ROOT / "scripts/test_titles.mjs"
    printed = subprocess.run(
        [_BIN / "node", str(script), *files], check=True, capture_output=True, text=True
    )
    for test in json.loads(printed.stdout):
        file = Path(test["file"]).relative_to(ROOT).as_posix()
        for number in sorted(set(_NUMBER.findall(test["title"]))):
            yield Proof(number, file, test["title"])


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


def _run_vitest(files: set[str]) -> dict[str, bool]:
    """Return by file and number whether every test that names the number passed."""
    if not files:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        names = [str(Path(file).relative_to("labextension")) for file in sorted(files)]
        told = ["--reporter=default", "--reporter=json", f"--outputFile.json={report}"]
        path = f"{_BIN}{os.pathsep}{os.environ.get('PATH', '')}"
        subprocess.run(
            [_BIN / "jlpm", "vitest", "run", *told, *names],
            cwd=LABEXTENSION,
            env={**os.environ, "PATH": path},
            check=False,
        )
        results = json.loads(report.read_text())["testResults"] if report.exists() else []
    passed: dict[str, bool] = {}
    for result in results:
        file = Path(result["name"]).relative_to(ROOT).as_posix()
        for test in result["assertionResults"]:
            for number in _NUMBER.findall(test["fullName"]):
                key = f"{file}::{number}"
                passed[key] = passed.get(key, True) and test["status"] == "passed"
    return passed


def _chosen(proofs: Iterable[Proof]) -> list[Proof]:
    """Leave the slow ones out where there are others."""
    listed = list(proofs)
    return [proof for proof in listed if not proof.is_slow] or listed


def _check(found: dict[str, list[Proof]]) -> int:
    numbers = read_numbers()
    chosen = {number: _chosen(found.get(number, [])) for number in numbers}
    wanted = [proof for proofs in chosen.values() for proof in proofs]
    passed = _run_vitest({proof.file for proof in wanted if not proof.is_python})
    passed |= _run_python({proof.test for proof in wanted if proof.is_python})
    bad = 0
    for number, words in numbers.items():
        keys = [(p, p.test if p.is_python else f"{p.file}::{number}") for p in chosen[number]]
        good = bool(keys) and all(passed.get(key, False) for _, key in keys)
        bad += not good
        print(f"{'ok  ' if good else 'FAIL'} {number:6} {words}")
        for proof, key in keys:
            state = {True: "", False: " (failed)", None: " (did not run)"}[passed.get(key)]
            print(f"            {proof.test}{state}")
        if not keys:
            print("            no test names it")
    print(f"{len(numbers) - bad} of {len(numbers)} numbers are proved.")
    wrong = _print_apart(found)
    return 1 if bad or wrong else 0


def _print_apart(found: dict[str, list[Proof]]) -> list[str]:
    """Say which numbers are of functions that the product calls; return what is wrong with it."""
    apart = {each.function: each for each in read_apart()}
    path = LivePath()
    numbers = {
        number: {name for proof in proofs for name in proof.calls}
        for number, proofs in found.items()
        if all(proof.calls and proof.calls <= {*apart} for proof in proofs)
    }
    rows = {number for number, names in numbers.items() if not _is_public_only(names, apart)}
    print(f"{len(read_numbers()) - len(rows)} of them through what the product itself calls.")
    for number in sorted(rows):
        for name in sorted(numbers[number]):
            each = apart[name]
            print(
                f"    {number:6} {name} ({each.row}) shares {', '.join(each.shared) or 'nothing'}"
            )
    wrong = what_is_wrong(path, found)
    print("".join(f"WRONG {each}\n" for each in wrong), end="")
    return wrong


def _is_public_only(names: set[str], apart: dict[str, Apart]) -> bool:
    """Tell whether it is all by a door to what the product calls itself."""
    return all(apart[name].row == "public" for name in names)


def what_is_wrong(path: LivePath, found: dict[str, list[Proof]]) -> list[str]:
    """Return what is not true of the list of functions that the product does not call."""
    tested = {name for proofs in found.values() for proof in proofs for name in proof.calls}
    return [*path.wrong(read_apart(), tested)]


def _list(found: dict[str, list[Proof]]) -> int:
    numbers = read_numbers()
    for number, words in numbers.items():
        print(f"{number:6} {words}")
        for proof in found.get(number, []):
            print(f"       {proof.test}")
    missing = [number for number in numbers if number not in found]
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
