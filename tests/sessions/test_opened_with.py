"""What an agent's entry adds to each of its sessions: further folders, and a system prompt."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.api.models.sessions import ForkSession
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.transcript.model.session_state import SessionState
from tests.support.host.restarts import HostFolders, Server

DATA = "/data/shared"
ENTRY: dict[str, Any] = {
    "additional_directories": [DATA, "~/more"],
    "system_prompt": "Use polars.",
}
PROMPT = {"mode": "append", "content": [{"type": "text", "text": "Use polars."}]}


def opened_with(server: Server, session: Session) -> tuple[str, Any, Any]:
    """Return by which method the agent opened the session, and what it was given."""
    server.done(session, server.prompt(session, "how"))
    message = json.loads(server.said(session)[-1])
    params = message["params"]
    return message["method"], params.get("additionalDirectories"), params.get("systemPrompt")


@pytest.mark.parametrize("again", ["resume", "load"])
def test_they_are_told_each_time_a_session_is_opened(tmp_path: Path, again: str) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    abilities = (again, "fork", "additionalDirectories", "systemPrompt")
    kept = HostFolders(root, tmp_path / "data", abilities, ENTRY)
    folders = [DATA, str(Path("~/more").expanduser())]
    with kept.server() as server:
        session = server.open("keeper")
        assert opened_with(server, session) == ("session/new", folders, PROMPT)
        child = server.send(ForkSession(session_id=session.session_id))
        assert isinstance(child, SessionState)
        forked = server.host.sessions.require(child.session_id)
        assert opened_with(server, forked) == ("session/fork", folders, PROMPT)
        session_id = session.session_id
    with kept.server() as server:
        woken = server.woken(session_id)
        assert opened_with(server, woken) == (f"session/{again}", folders, PROMPT)


def test_an_agent_that_does_not_take_them_is_not_told(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    with HostFolders(root, tmp_path / "data", ("load",), ENTRY).server() as server:
        assert opened_with(server, server.open("keeper")) == ("session/new", None, None)
