"""``jupyter acp doctor``: checks this machine and environment for agents, a line for each check."""

from __future__ import annotations

import argparse
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from jupyter_core.paths import jupyter_config_path, jupyter_data_dir

from acp_jupyter._version import __version__
from acp_jupyter.errors import plain_reason
from acp_jupyter.host.public_registry.agents import PublicAgents
from acp_jupyter.host.registry import Registry
from acp_jupyter.host.registry_entries import AgentReport, EntryPointAgents
from acp_jupyter.host.sandbox.levels import find_level
from acp_jupyter.system.printing import echo

_SECONDS = 10.0
_SAID_CHARS = 100
_MAX_NAMED = 10


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report."""

    good: bool
    words: str


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; return 0 if all is well, 1 if a line is a warning."""
    parser = argparse.ArgumentParser(
        "jupyter acp doctor",
        description="Say what works here: Python, the server, the sandbox, the agents. Run it in "
        "the environment, and on the machine, that Jupyter runs in. It changes nothing, and its "
        "exit code is 1 if a line begins with warn.",
    )
    parser.parse_args(words)
    well = True
    for look in LOOKS:
        for finding in look():
            echo(f"{'ok' if finding.good else 'warn':4}  {finding.words}")
            well = well and finding.good
    return 0 if well else 1


def _versions() -> Iterator[Finding]:
    yield Finding(good=True, words=f"acp-jupyter {__version__}, Python {platform.python_version()}")
    try:
        yield Finding(good=True, words=f"jupyter-server {version('jupyter-server')}")
    except PackageNotFoundError:
        yield Finding(
            good=False,
            words="jupyter-server is not in this environment: agents run in the kernel, without "
            "the panel. pip install jupyter-server",
        )


def _data_folder() -> Iterator[Finding]:
    folder = Path(jupyter_data_dir()) / "acp-jupyter"
    there = next(each for each in (folder, *folder.parents) if each.exists())
    try:
        with tempfile.TemporaryFile(dir=there):
            pass
    except OSError as error:
        words = f"The data folder {folder} can't be written: {plain_reason(error)}"
        yield Finding(good=False, words=words)
    else:
        yield Finding(good=True, words=f"The data folder {folder} can be written")


def _sandbox() -> Iterator[Finding]:
    level = find_level()
    kept = f", kept by {level.kept_by}" if level.kept_by else ""
    words = f"Sandboxes: {level.level}{kept}. {level.why_not_more}".rstrip(". ")
    yield Finding(good=level.level == "full", words=words)


def _agents() -> Iterator[Finding]:
    reports = Registry(
        {},
        [Path(path) for path in jupyter_config_path()],
        points=EntryPointAgents(),
        public=PublicAgents(Path(jupyter_data_dir()) / "acp-jupyter"),
    ).statuses()
    ready = [report for report in reports if report.status in {"ready", "needs_login"}]
    yield Finding(good=bool(ready), words=f"Agents that can start: {_named(ready)}")
    missing = [report for report in reports if report.status == "not_installed"]
    if missing:
        yield Finding(good=True, words=f"Agents that are not installed: {_named(missing)}")
    for report in reports:
        if report.status == "broken":
            yield Finding(good=False, words=f"The agent {report.id} can't start: {report.detail}")


def _named(reports: Sequence[AgentReport]) -> str:
    names = [report.id for report in reports]
    more = f" and {len(names) - _MAX_NAMED} more" * (len(names) > _MAX_NAMED)
    return f"{', '.join(names[:_MAX_NAMED]) or 'none'}{more}"


def _programs() -> Iterator[Finding]:
    yield _program("git", "without it no turn can be reverted")
    yield _program("node", "most agents need it: see https://nodejs.org")


def _program(name: str, without: str) -> Finding:
    found = shutil.which(name)
    if found is None:
        return Finding(good=False, words=f"{name} was not found: {without}")
    try:
        done = subprocess.run(
            [found, "--version"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return Finding(good=False, words=f"{found} does not run: {without}")
    said = done.stdout.decode(errors="replace").strip().removeprefix(f"{name} version ")
    return Finding(good=True, words=f"{name} {said[:_SAID_CHARS]}")


LOOKS: tuple[Callable[[], Iterator[Finding]], ...] = (
    _versions,
    _data_folder,
    _sandbox,
    _agents,
    _programs,
)
"""The checks, in this order."""
