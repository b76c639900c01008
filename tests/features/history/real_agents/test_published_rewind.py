"""Published agents after going back: their files, and what their model is told then."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.host.checkpoints import held
from tests.support.mockllm import FakeModel
from tests.support.published.programs import PUBLISHED, Published
from tests.support.published.session import PublishedSession
from tests.support.server.jupyter_server import JupyterServer

pytestmark = pytest.mark.agents


@dataclass(frozen=True)
class Spoken:
    """A session of an agent, and its model."""

    talk: PublishedSession
    model: FakeModel


@pytest.fixture(
    params=[
        pytest.param(
            agent,
            id=agent.agent_id,
            marks=[] if agent.agent_id == "claude" else [pytest.mark.long],
        )
        for agent in PUBLISHED
    ],
)
def spoken(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Spoken]:
    agent: Published = request.param
    home = tmp_path / "agent-home"
    home.mkdir()
    with FakeModel() as model:
        agents = {agent.agent_id: agent.entry(home, model)}
        with JupyterServer(tmp_path, agents=agents) as server, server.user() as user:
            yield Spoken(PublishedSession(user, agent.agent_id, server.root / "work"), model)


def test_the_model_is_told_what_came_before_and_nothing_of_what_came_after(spoken: Spoken) -> None:
    talk, model = spoken.talk, spoken.model
    talk.end(talk.start("hello", "The word is apricot."), "allow_once")
    before = held(talk.folder)
    second = talk.start("write_file", "The word is blueberry.")
    assert talk.end(second, "allow_once").turn["stop_reason"] == "end_turn"
    talk.end(talk.start("hello", "The word is cranberry."), "allow_once")
    assert "blueberry" in model.request
    assert held(talk.folder) != before
    url = f"sessions/{talk.session_id}/rewind"
    reply = talk.user.post(url, json={"turn_id": second}).raise_for_status().json()
    assert held(talk.folder) == before
    assert reply["turns"] == 2
    talk.session_id = reply["session"]["session_id"]
    talk.end(talk.start("hello", "The word is damson."), "allow_once")
    words = [
        fruit for fruit in ("apricot", "blueberry", "cranberry", "damson") if fruit in model.request
    ]
    assert words == ["apricot", "damson"]
    # It is in the agent's own memory from then on.
    talk.end(talk.start("hello", "The word is elderberry."), "allow_once")
    assert "apricot" in model.request
    assert "blueberry" not in model.request
