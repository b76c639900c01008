"""Sessions in one data folder that were made by a server of another root, or under other bounds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from acp_jupyter.api.models.sessions import CreateSession
from acp_jupyter.host.bounds import Bounds
from acp_jupyter.transcript.model.session_state import SessionState
from tests.support.host.restarts import HostFolders, Server

ASKED = CreateSession(agent="keeper", notebook_path="analysis.ipynb", start="lazy")


def found(server: Server) -> SessionState:
    """Return the session that a cell of the notebook goes on with."""
    state = server.send(ASKED)
    assert isinstance(state, SessionState)
    return state


def kept_in(tmp_path: Path, name: str) -> HostFolders:
    root = tmp_path / name
    root.mkdir()
    return HostFolders(root, tmp_path / "data", ("resume",))


def test_a_notebook_of_the_same_name_elsewhere_is_another(tmp_path: Path) -> None:
    one, other = kept_in(tmp_path, "one"), kept_in(tmp_path, "other")
    with one.server() as server:
        session_id = found(server).session_id
        session = server.host.sessions.require(session_id)
        server.done(session, server.prompt(session, "here"))
    with other.server() as server:
        server.woken(session_id)
        state = found(server)
        assert state.session_id != session_id
        assert state.cwd == str(other.root)
        assert server.host.sessions.of_cells() == {state.session_id}
    with one.server() as server:
        assert found(server).session_id == session_id


def test_a_policy_from_before_the_bounds_gives_way(tmp_path: Path) -> None:
    kept = kept_in(tmp_path, "ws")
    with kept.server() as server:
        state = server.send(ASKED.model_copy(update={"policy": "allow-all"}))
        assert isinstance(state, SessionState)
        session = server.host.sessions.require(state.session_id)
        server.done(session, server.prompt(session, "here"))
    bounds = Bounds.of({"allowed_policies": ["ask", "read-only"]})
    with replace(kept, bounds=bounds).server() as server:
        assert server.woken(state.session_id).state.policy == "ask"
