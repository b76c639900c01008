"""Each saved fact of a session outlives the server, is listed, and goes over to a fork.

The fields are taken from the model, so that a fact that is added is tested too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import pytest
from pydantic import BaseModel

from acp_jupyter.api.models.sessions import ListSessions
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.host.store.metadata import (
    META_FILE,
    TRAFFIC_FILE,
    SessionMeta,
    opening_note_of,
    read_meta,
    write_meta,
)
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.transcript.model.session_state import SAVED_FACTS, SessionState, saved_facts
from tests.support.host.restarts import HostFolders, Server

LIVE = {
    "status", "rules", "active_turn_id", "queue", "waiting", "model", "tools", "modes",
    "current_mode_id", "config_options", "commands", "prompt_capabilities", "auth_methods",
    "unasked", "logged_in", "background", "walls",
    "needs_login", "login", "reverted", "history", "silent_since", "looking", "held", "stored",
    "read_only",
}  # fmt: skip
"""Fields that are not saved: a restart forgets them, or reads the log for them."""

OF_ONE_SESSION = {
    "session_id", "agent_session_id", "notebook_path", "branch", "continues_in", "created_at",
    "updated_at", "variant", "copied_folder",
}  # fmt: skip
"""What a fork does not take over."""

COUNTED = {"usage", "use"}
"""What the lines of a log that is read again count; that of these tests has none."""

OLD_META = {
    "version": 1,
    "session_id": "old",
    "agent_id": "keeper",
    "agent_name": "Keeper",
    "title": "Rates",
    "label": "first",
    "cwd": "/ws",
    "folder": "~/ws",
    "notebook_path": "a.ipynb",
    "policy": "deny",
    "policy_user": "ada",
    "agent_session_id": "of the agent",
    "turn_ids": ["t1"],
    "log_bytes": 0,
    "can": ["resume"],
    "usage": {"used": 1, "size": 2, "cost_amount": None, "cost_currency": ""},
    "played": False,
    "created_at": 1.5,
    "updated_at": 2.5,
}
"""As it was written before the facts were a model of their own."""


def some(name: str, kind: Any) -> Any:
    """Return a value of a type, other than any default."""
    if kind is str:
        return f"some {name}"
    if kind is bool:
        return True
    if kind in {int, float}:
        return 1_700_000_000
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return some_fields(kind)
    arguments = get_args(kind)
    if get_origin(kind) is Literal:
        return arguments[-1]
    if get_origin(kind) is tuple:
        return [some(name, arguments[0])]
    if get_origin(kind) in {Union, UnionType}:
        return some(name, next(part for part in arguments if part is not NoneType))
    raise NotImplementedError(f"{name} is of a type that no value is made for: {kind}")


def some_fields(model: type[BaseModel], *names: str) -> dict[str, Any]:
    fields = model.model_fields
    return {name: some(name, fields[name].annotation) for name in names or fields}


def made() -> SessionState:
    """Return a state with a value of its own in each saved field."""
    values = {**some_fields(SessionState, *SAVED_FACTS), "session_id": "made", "cwd": "."}
    return saved_facts(SessionState.model_validate(values))


def differing(one: SessionState, other: SessionState, *but: str) -> dict[str, tuple[Any, Any]]:
    """Return the saved fields in which two states differ."""
    pairs = {name: (getattr(one, name), getattr(other, name)) for name in SAVED_FACTS}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1] and name not in but}


def put(data: Path, facts: SessionState) -> None:
    """Write the folder of a session as a server leaves it."""
    folder = data / "sessions" / facts.session_id
    folder.mkdir(parents=True)
    meta = SessionMeta(facts=facts, label=facts.title)
    entry = TrafficEntry(1, facts.created_at or 0, "!", opening_note_of(meta).model_dump())
    line = json.dumps({"seq": 1, "t": entry.t, "d": "!", "m": entry.message})
    (folder / TRAFFIC_FILE).write_text(f"{line}\n")
    write_meta(folder, meta.model_copy(update={"log_bytes": len(line) + 1}))


def listed(server: Server) -> Mapping[str, SessionState]:
    states = server.send(ListSessions())
    assert isinstance(states, list)
    return {state.session_id: state for state in states if isinstance(state, SessionState)}


@pytest.fixture
def kept(tmp_path: Path) -> HostFolders:
    root = tmp_path / "ws"
    root.mkdir()
    return HostFolders(root, tmp_path / "data", ())


def test_each_field_of_the_state_is_saved_or_said_to_be_live() -> None:
    assert set(SessionState.model_fields) - set(SAVED_FACTS) == LIVE


def test_the_made_values_are_no_defaults() -> None:
    defaults = {name: SessionState.model_fields[name].default for name in SAVED_FACTS}
    assert all(getattr(made(), name) != defaults[name] for name in SAVED_FACTS)


def test_each_fact_is_written_and_read(tmp_path: Path) -> None:
    folder = tmp_path / "made"
    folder.mkdir()
    meta = SessionMeta(facts=made(), label="l", turn_ids=("t",), played=True)
    write_meta(folder, meta)
    (folder / TRAFFIC_FILE).touch()
    assert read_meta(folder) == meta


def test_the_file_is_as_it_was_before(tmp_path: Path) -> None:
    folder = tmp_path / "old"
    folder.mkdir()
    (folder / TRAFFIC_FILE).touch()
    (folder / META_FILE).write_text(json.dumps(OLD_META))
    meta = read_meta(folder)
    assert meta is not None
    assert meta.facts.agent == "keeper"
    assert meta.state().agent_info.name == "Keeper"
    written = json.loads(meta.to_file())
    assert {**written, **OLD_META} == written


def test_each_fact_is_listed_restored_saved_again_and_forked(kept: HostFolders) -> None:
    facts = made()
    put(kept.data, facts)
    with kept.server() as server:
        assert differing(facts, listed(server)["made"]) == {}
        session = server.woken("made")
        # It was closed just now.
        assert differing(facts, session.state, "updated_at", *COUNTED) == {}
        session_of_fork = server.result(server.host.sessions.fork(session))
        fork = session_of_fork.state
        assert differing(facts, fork, "title", *OF_ONE_SESSION, *COUNTED) == {}
        assert set(differing(facts, fork)) - {"title"} == OF_ONE_SESSION | COUNTED
        server.result(saved(server, session, session_of_fork))
    with kept.server() as server:
        states = listed(server)
        assert differing(facts, states["made"], "updated_at", *COUNTED) == {}
        assert differing(fork, states[fork.session_id], "updated_at") == {}


async def saved(server: Server, *sessions: Session) -> None:
    for session in sessions:
        await server.host.sessions.save(session)
