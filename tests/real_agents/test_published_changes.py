"""What published agents change, by their tools and by commands, is told and taken back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.host.checkpoints import held
from tests.support.mockllm import FakeModel
from tests.support.published.chosen_sandbox import SANDBOX, path_at
from tests.support.published.on_a_server import AGENTS
from tests.support.published.programs import Published
from tests.support.published.session import PublishedSession
from tests.support.server.jupyter_server import JupyterServer

pytestmark = pytest.mark.agents

FILES = {"edited.py": 'def main():\n    print("hello")\n# é\n', "by_command.txt": "one\n"}


@contextmanager
def session(
    agent: Published, folder: Path, sandbox: str = "", level: str = "full"
) -> Iterator[PublishedSession]:
    """A session whose folder holds nothing; without a sandbox, the one that tests were told."""
    home = folder / "agent-home"
    home.mkdir(parents=True)
    env = {"PATH": path_at(level, folder)}
    with FakeModel() as model:
        entry = agent.entry(home, model)
        if sandbox:
            entry["sandbox"] = {**entry["sandbox"], "use": sandbox}
        agents = {agent.agent_id: entry}
        with JupyterServer(folder, agents=agents, env=env) as server, server.user() as user:
            yield PublishedSession(user, agent.agent_id, server.root / "work", files=FILES)


@pytest.fixture(params=AGENTS)
def talk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[PublishedSession]:
    with session(request.param, tmp_path, SANDBOX if SANDBOX != "off" else "") as talk:
        yield talk


@pytest.mark.long
def test_three_ways_to_change_a_file(talk: PublishedSession) -> None:
    """By the edit tool, the write tool and ``sed -i``: all are told, all are taken back."""
    before = held(talk.folder)
    turn_id = talk.start("three_ways file=edited.py")
    played = talk.end(turn_id, "allow_once")
    assert played.turn["stop_reason"] == "end_turn"
    told = talk.user.get(f"turns/{turn_id}/changes").raise_for_status().json()
    files = {f["path"]: (f["change"], f["added"], f["removed"]) for f in told["files"]}
    assert files == {
        "by_command.txt": ("modified", 1, 1),
        "edited.py": ("modified", 1, 1),
        "written.py": ("added", 2, 0),
    }
    assert {f["author"] for f in told["files"]} == {"agent"}
    after = held(talk.folder)
    (talk.folder / "written.py").write_text("mine")
    refused = talk.user.post(f"turns/{turn_id}/revert")
    assert (refused.status_code, refused.json()["reason"]) == (409, "changes_refused")
    (talk.folder / "written.py").write_bytes(after["written.py"][1])
    assert held(talk.folder) == after
    talk.user.post(f"turns/{turn_id}/revert").raise_for_status()
    assert held(talk.folder) == before


@pytest.mark.long
@pytest.mark.parametrize("level", ["full", "partial"])
@pytest.mark.parametrize("agent", AGENTS)
def test_what_is_kept_of_a_copy_is_what_is_left_without_one(
    agent: Published, level: str, tmp_path: Path
) -> None:
    left = {}
    for sandbox in ("off", "copy"):
        with session(agent, tmp_path / sandbox, sandbox, level) as talk:
            before = held(talk.folder)
            turn_id = talk.start("three_ways file=edited.py")
            assert talk.end(turn_id, "allow_once").turn["stop_reason"] == "end_turn"
            if sandbox == "copy":
                assert talk.state["walls"]["level"] == level
                assert held(talk.folder) == before
                talk.user.post(f"turns/{turn_id}/keep", json={}).raise_for_status()
            left[sandbox] = {name: file[1] for name, file in held(talk.folder).items()}
            if sandbox == "copy":
                undo = {"undo": True}
                talk.user.post(f"turns/{turn_id}/keep", json=undo).raise_for_status()
                assert held(talk.folder) == before
    assert left["copy"] == left["off"]
    assert left["copy"]["written.py"]
