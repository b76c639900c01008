"""What published agents change, by their tools and by commands, is told and taken back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.host.checkpoints import held
from tests.support.mockllm import FakeModel
from tests.support.published.programs import PUBLISHED, Published
from tests.support.published.session import PublishedSession
from tests.support.server.jupyter_server import JupyterServer

pytestmark = pytest.mark.agents


@pytest.fixture(
    params=[
        pytest.param(agent, id=agent.agent_id, marks=[pytest.mark.long] if agent.long else [])
        for agent in PUBLISHED
    ],
)
def talk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[PublishedSession]:
    agent: Published = request.param
    home = tmp_path / "agent-home"
    home.mkdir()
    with FakeModel() as model:
        agents = {agent.agent_id: agent.entry(home, model)}
        with JupyterServer(tmp_path, agents=agents) as server, server.user() as user:
            yield PublishedSession(user, agent.agent_id, server.root / "work")


@pytest.mark.long
def test_three_ways_to_change_a_file(talk: PublishedSession) -> None:
    """By the edit tool, the write tool and ``sed -i``: all are told, all are taken back."""
    (talk.folder / "edited.py").write_text('def main():\n    print("hello")\n# é\n')
    (talk.folder / "by_command.txt").write_text("one\n")
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
