"""Published agents in a sandbox, in both levels: they work, and a command of theirs is held.

``TEST_SANDBOX=folder`` and ``TEST_SANDBOX_LEVEL`` run all other tests of this folder in one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.mockllm import FakeModel
from tests.support.published.chosen_sandbox import path_at
from tests.support.published.on_a_server import DONE, HELLO_PY
from tests.support.published.programs import PUBLISHED, Published, processes_of
from tests.support.published.session import PublishedSession
from tests.support.server.jupyter_server import JupyterServer
from tests.support.wait import eventually

pytestmark = pytest.mark.agents

_PLACES = [
    pytest.param(
        (agent, level),
        id=f"{agent.agent_id}-{level}",
        marks=[pytest.mark.long] if agent.long or agent.agent_id == "opencode" else [],
    )
    for agent in PUBLISHED
    for level in ("full", "partial")
]

_SETTINGS = {
    "claude": ".claude/settings.json",
    "claude-2": ".claude/settings.json",
    "old-claude": ".claude/settings.json",
    "codex": ".codex/config.toml",
    "gemini": ".gemini/settings.json",
    "opencode": "CONFIG/opencode/plugins/planted.js",
}
"""What each would run, also outside of sandboxes."""


@pytest.fixture(params=_PLACES)
def held(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, PublishedSession]]:
    agent, level = request.param
    assert isinstance(agent, Published)
    home = tmp_path / "agent-home"
    home.mkdir()
    with FakeModel() as model:
        entry = agent.entry(home, model)
        entry["sandbox"] = {**entry["sandbox"], "use": "folder"}
        env = {"PATH": path_at(level, tmp_path)}
        agents = {agent.agent_id: entry}
        with JupyterServer(tmp_path, agents=agents, env=env) as server, server.user() as user:
            yield level, PublishedSession(user, agent.agent_id, server.root / "work")
        eventually(lambda: not processes_of(home), "processes of the agent are left")


def test_it_works_in_its_sandbox_and_can_not_leave_it(
    held: tuple[str, PublishedSession], tmp_path: Path
) -> None:
    level, talk = held
    walls = talk.state["walls"]
    assert (walls["sandbox"], walls["level"]) == ("folder", level)
    agent = talk.state["agent_info"]["id"]
    assert ("Full access" in walls["why"]) is ((agent, level) == ("codex", "partial"))
    played = talk.play("write_file file=new.py")
    assert (talk.folder / "new.py").read_text() == HELLO_PY
    assert played.text.endswith(DONE)
    assert talk.play("touch file=within.txt").call["status"] == "completed"
    assert (talk.folder / "within.txt").exists()
    talk.play("touch file=../../outside.txt")
    assert not (tmp_path / "outside.txt").exists()
    # What an entry lets it write, and what may be written in the other level, it writes as a whole.
    if level == "full" and agent != "old-claude":
        settings = f"agent-home/{_SETTINGS[agent]}"
        before = _written(tmp_path / settings)
        talk.play(f"touch file=../../{settings}")
        assert _written(tmp_path / settings) == before


@pytest.mark.long
@pytest.mark.parametrize("level", ["full", "partial"])
def test_claude_brings_a_sandbox_of_its_own(level: str, tmp_path: Path) -> None:
    """Both hold, or the card says that ours does: as root, no /proc can be mounted in ours."""
    agent = next(each for each in PUBLISHED if each.agent_id == "claude")
    home = tmp_path / "agent-home"
    settings = home / ".claude/settings.json"
    settings.parent.mkdir(parents=True)
    own = {"enabled": True, "autoAllowBashIfSandboxed": True}
    settings.write_text(json.dumps({"sandbox": own}))
    with FakeModel() as model:
        entry = agent.entry(home, model)
        entry["sandbox"] = {**entry["sandbox"], "use": "folder"}
        env = {"PATH": path_at(level, tmp_path)}
        with (
            JupyterServer(tmp_path, agents={"claude": entry}, env=env) as server,
            server.user() as user,
        ):
            talk = PublishedSession(user, "claude", server.root / "work")
            call = talk.play("touch file=within.txt").call
            talk.play("touch file=../../outside.txt")
    assert not (tmp_path / "outside.txt").exists()
    if call["status"] == "completed":
        assert (talk.folder / "within.txt").exists()
    else:
        assert level == "full"
        assert "can't make a sandbox inside the sandbox “folder”" in call["wall"]["words"]


def _written(file: Path) -> int:
    return file.stat().st_mtime_ns if file.exists() else 0
