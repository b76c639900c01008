"""Run the main browser journeys, or tests of the SDK, in every environment that is supported.

``python scripts/test_versions.py [--write] [NAME ...]`` runs those of the names, else all, and can
write their rows of the table in ``docs/versions.md``. A wheel of this checkout is installed into an
environment of its own for each, as a user does it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from datetime import date
from pathlib import Path

__all__ = ["main"]

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build" / "versions"
PAGE = ROOT / "docs" / "versions.md"
BEGIN = "<!-- The table below is written by scripts/test_versions.py. -->\n"

JOURNEYS = (
    *("quickstart", "turn_in_a_cell", "panel", "reload", "review", "saved_notebook"),
    "question_in_view",
)
OF_THE_NOTEBOOKS = ("matplotlib>=3.9", "pandas>=2.2")
NOT_TRIED = "not tried: no such interpreter here"
SHOWN = (
    *("jupyterlab", "notebook", "jupyter-server", "ipykernel", "ipywidgets"),
    "agent-client-protocol",
)
OF_THE_SDK = ("tests/host/rpc", "tests/hazards", "tests/conformance", "tests/real_agents")


@dataclass(frozen=True)
class Environment:
    """What is installed beside the wheel, and by which rules."""

    name: str
    requirements: tuple[str, ...] = ()
    python: str = "3.11"
    options: tuple[str, ...] = ()
    is_lowest: bool = False
    """Each requirement of ours as low as it is declared."""
    only_reported: bool = False
    """Others are still working on it: it never fails the run."""
    more_tests: tuple[str, ...] = ()
    own_tests: tuple[str, ...] = ()
    """Tests without a browser that its own Python runs, in place of the journeys."""


@dataclass(frozen=True)
class Outcome:
    environment: Environment
    versions: dict[str, str]
    python: str
    passed: int
    problems: tuple[str, ...]
    seconds: float

    @property
    def words(self) -> str:
        """What the table says."""
        if not self.problems:
            return f"{self.passed} {'tests' if self.environment.own_tests else 'journeys'}"
        return "; ".join(self.problems)


ENVIRONMENTS = (
    Environment("lowest", is_lowest=True),
    Environment("4.2", ("jupyterlab==4.2.*", "notebook==7.2.*")),
    Environment("4.3", ("jupyterlab==4.3.*", "notebook==7.3.*")),
    Environment("4.4", ("jupyterlab==4.4.*", "notebook==7.4.*")),
    Environment("4.5", ("jupyterlab==4.5.*", "notebook==7.5.*")),
    Environment("newest"),
    Environment("python-3.12", python="3.12"),
    Environment("python-3.13", python="3.13"),
    Environment("python-3.14", python="3.14"),
    Environment(
        "peers",
        ("jupyter-ai>=3.2", "notebook-intelligence>=6.2"),
        more_tests=("tests/e2e/peers", "tests/e2e/test_keyboard.py"),
    ),
    Environment(
        "pre-release", options=("--prerelease", "allow"), only_reported=True, python="3.13"
    ),
    Environment("sdk-0.11", ("agent-client-protocol==0.11.*",), own_tests=OF_THE_SDK),
    Environment("sdk-newest", own_tests=OF_THE_SDK),
    Environment(
        "sdk-pre-release",
        ("agent-client-protocol>=1.0.0rc1",),
        own_tests=OF_THE_SDK,
        only_reported=True,
    ),
)
assert len({environment.name for environment in ENVIRONMENTS}) == len(ENVIRONMENTS)


def main(arguments: list[str]) -> int:
    """Run the environments that are named, else all; return the exit status."""
    names = [argument for argument in arguments if argument != "--write"]
    unknown = set(names) - {environment.name for environment in ENVIRONMENTS}
    if unknown:
        print(f"There is no {', '.join(sorted(unknown))}.", file=sys.stderr)
        return 2
    wheel = _wheel()
    outcomes: list[Outcome] = []
    rows = _rows()
    for environment in ENVIRONMENTS:
        if names and environment.name not in names:
            continue
        if _interpreter(environment.python) is None:
            print(f"{environment.name}: not tried, Python {environment.python} isn't installed")
            rows[environment.name] = _row(environment, environment.python, {}, NOT_TRIED)
            continue
        print(f"{environment.name}:", flush=True)
        outcome = _run(environment, wheel)
        print(f"{environment.name}: {outcome.words}, {outcome.seconds:.0f} s", flush=True)
        outcomes.append(outcome)
        rows[environment.name] = _row(
            environment, outcome.python, outcome.versions, outcome.words, date.today().isoformat()
        )
    if names != arguments:
        _write(rows)
    failed = [one for one in outcomes if one.problems and not one.environment.only_reported]
    for outcome in failed:
        print(f"Failed: {outcome.environment.name}: {outcome.words}")
    return 1 if failed or not outcomes else 0


def _run(environment: Environment, wheel: Path) -> Outcome:
    start = time.monotonic()
    place = FOLDER / environment.name
    python = place / "bin" / "python"
    _uv("venv", "--clear", "--python", str(_interpreter(environment.python)), str(place))
    install = ["pip", "install", "--python", str(python), *environment.options]
    try:
        if environment.is_lowest:
            # Of a wheel's requirements uv takes the newest: they are not direct.
            lowest = ("--resolution", "lowest-direct", "-r", "pyproject.toml", "--extra", "lab")
            _uv(*install, *lowest, *OF_THE_NOTEBOOKS)
            _uv(*install, "--no-deps", str(wheel))
        else:
            tools = ("--group", "test") if environment.own_tests else ()
            _uv(*install, f"{wheel}[lab]", *OF_THE_NOTEBOOKS, *environment.requirements, *tools)
    except subprocess.CalledProcessError as error:
        problem = f"can't be installed: {_last_line(error.stderr)}"
        return Outcome(environment, {}, environment.python, 0, (problem,), 0)
    listed = json.loads(_uv("pip", "list", "--python", str(python), "--format", "json"))
    versions = {package["name"]: package["version"] for package in listed}
    problems = (_listed("labextension", place), _listed("server", place))
    passed, failed = _journeys(environment, python)
    return Outcome(
        environment,
        versions,
        subprocess.check_output([python, "-V"], text=True).split()[1],
        passed,
        (*(problem for problem in problems if problem), *failed),
        time.monotonic() - start,
    )


def _listed(kind: str, place: Path) -> str:
    """Return what is wrong with the extension where Jupyter lists its extensions."""
    commands = {
        "labextension": ("labextension", "list", r"acp-jupyter\s+v\S+.*enabled.*OK"),
        "server": ("server", "extension", "list", r"acp_jupyter\s+\S+.*OK"),
    }
    *command, wanted = commands[kind]
    done = subprocess.run(
        [place / "bin" / "jupyter", *command], capture_output=True, text=True, check=False
    )
    plain = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr)
    return "" if re.search(wanted, plain) else f"jupyter {' '.join(command)} does not say OK"


def _journeys(environment: Environment, python: Path) -> tuple[int, list[str]]:
    report = FOLDER / f"{environment.name}.xml"
    report.unlink(missing_ok=True)
    runs: list[str | Path] = [sys.executable, "-m", "pytest"]
    tests = [*(f"tests/e2e/test_{name}.py" for name in JOURNEYS), *environment.more_tests]
    if environment.own_tests:
        runs = [python, "-m", "pytest", "-n", "auto", "-m", "not long"]
        tests = [*environment.own_tests]
    subprocess.run(
        [*runs, "-q", "-p", "no:cacheprovider", f"--junit-xml={report}", *tests],
        cwd=ROOT,
        env={**os.environ, "ACP_PYTHON": str(python)},
        check=False,
    )
    if not report.exists():
        return 0, ["the tests did not run"]
    cases = list(ET.parse(report).iter("testcase"))  # noqa: S314 - pytest wrote it
    failed = [
        case.attrib["name"].removeprefix("test_").replace("_", " ")
        for case in cases
        if any(child.tag in {"failure", "error", "skipped"} for child in case)
    ]
    return len(cases) - len(failed), [f"failed: {name}" for name in failed]


def _rows() -> dict[str, str]:
    """Return the rows of the table, by the environment."""
    lines = PAGE.read_text().partition(BEGIN)[2].splitlines()
    return {line.split("|")[1].strip(): line for line in lines if line.startswith("| ")}


def _row(
    environment: Environment, python: str, versions: dict[str, str], words: str, when: str = ""
) -> str:
    cells = (environment.name, python, *(versions.get(name, "") for name in SHOWN), words, when)
    return f"| {' | '.join(cells)} |"


def _write(rows: dict[str, str]) -> None:
    head = PAGE.read_text().partition(BEGIN)[0]
    titles = ("environment", "Python", *SHOWN, "result", "run on")
    lines = [
        f"| {' | '.join(titles)} |",
        f"|{'---|' * len(titles)}",
        *(rows[environment.name] for environment in ENVIRONMENTS if environment.name in rows),
    ]
    PAGE.write_text(head + BEGIN + "\n" + "\n".join(lines) + "\n")


def _wheel() -> Path:
    target = FOLDER / "dist"
    for old in target.glob("*.whl"):
        old.unlink()
    _uv("build", "--wheel", "--out-dir", str(target))
    (wheel,) = target.glob("*.whl")
    return wheel


def _interpreter(version: str) -> Path | None:
    for place in (f"python{version}", *_pyenv(version)):
        done = subprocess.run(
            ["uv", "python", "find", "--no-python-downloads", "--system", str(place)],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode == 0:
            return Path(done.stdout.strip())
    return None


def _pyenv(version: str) -> list[Path]:
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    return sorted(root.glob(f"versions/{version}.*/bin/python"))


def _uv(*arguments: str) -> str:
    return subprocess.run(
        ["uv", "--quiet", *arguments], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout


def _last_line(text: str) -> str:
    return text.strip().rpartition("\n")[2]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
