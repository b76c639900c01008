"""An agent that does not start: only a session that was opened for it is gone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.support.agents.fake_agent import command_line
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.routes import finished, open_session, start_turn


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """While this file is there, the agent does not start."""
    return tmp_path / "broken"


@pytest.fixture
def user(tmp_path: Path, broken: Path) -> Iterator[httpx.Client]:
    script = 'test -e "$0" && exit 3; exec "$@"'
    args = ["-c", script, str(broken), *command_line("dies_mid_turn")]
    agents = {"frail": {"command": "sh", "args": args}}
    with JupyterServer(tmp_path, agents=agents) as server, server.user() as user:
        yield user


def _session_ids(user: httpx.Client) -> list[str]:
    return [session["session_id"] for session in user.get("sessions").json()]


def test_a_session_that_was_there_before_stays(user: httpx.Client, broken: Path) -> None:
    fields = {"notebook_path": "a.ipynb", "start": "wait", "trust": True}
    session_id = open_session(user, "frail", **fields)
    turn_id = start_turn(user, session_id, "hi")
    finished(user, turn_id)
    broken.touch()
    for notebook in ("a.ipynb", "new.ipynb"):
        answer = user.post("sessions", json={"agent": "frail", **fields, "notebook_path": notebook})
        assert answer.json()["reason"] == "agent_start"
    assert _session_ids(user) == [session_id]
    assert finished(user, turn_id)["turn"]["turn_id"] == turn_id
