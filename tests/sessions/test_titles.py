"""A new title of a session is the agent's, too, where it takes one."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_jupyter.api.models.sessions import SetConfig
from tests.support.host.restarts import HostFolders, Server


def renamed(server: Server, session_id: str, title: str) -> str:
    server.send(SetConfig(session_id=session_id, title=title))
    return server.host.sessions.require(session_id).state.title


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("Sales by region", "Sales by region (kept)"),
        ("A title that the agent cuts to fit", "A title that the age (kept)"),
        ("refuse", "refuse"),
        ("odd", "odd"),
        ("die", "die"),
        ("", ""),
    ],
)
def test_the_title_is_as_the_agent_has_stored_it(tmp_path: Path, title: str, shown: str) -> None:
    with HostFolders(tmp_path, tmp_path / "data", ("title",)).server() as server:
        session = server.open("keeper")
        server.done(session, server.prompt(session, "hello"))
        assert renamed(server, session.session_id, title) == shown
        # The agent's own titles do not replace it.
        assert session.state.named is bool(title)


def test_an_agent_that_takes_none_is_not_asked(tmp_path: Path) -> None:
    with HostFolders(tmp_path, tmp_path / "data", ()).server() as server:
        session = server.open("keeper")
        assert renamed(server, session.session_id, "Mine") == "Mine"
