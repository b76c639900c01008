"""MCP's own Inspector uses the tools of a notebook by a key: what any client of MCP sees."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.host.workspace.checkpoints.notebook_cells import fingerprint
from acp_jupyter.notebook_tools.tools import TOOLS
from tests.features.outside.conftest import MakeKey
from tests.features.outside.support.inspector import Inspector
from tests.notebook_tools.talk import cells_of
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.user import AsUser
from tests.support.wait import eventually

pytestmark = pytest.mark.long

_EDIT: dict[str, Any] = {
    "cell_id": "cell-0",
    "fingerprint": fingerprint("n = 1"),
    "edits": [{"old": "1", "new": "2"}],
}

Inspect = Callable[[str], Inspector]


def _sessions(user: AsUser) -> set[str]:
    sessions = user.get("sessions")
    shown = [s for s in sessions if s["agent_info"]["name"] == "inspector-cli (outside)"]
    return {session["session_id"] for session in shown}


@pytest.fixture(params=["legacy", "modern"])
def inspect(
    request: pytest.FixtureRequest, tmp_path: Path, server: JupyterServer
) -> Callable[[str], Inspector]:
    """Start the Inspector with a key, in the versions of MCP before and since 2026-07-28."""
    return lambda key: Inspector(tmp_path / "home", server.url, key, request.param)


def test_every_tool_has_a_schema_that_all_clients_can_read(
    inspect: Inspect, make_key: MakeKey
) -> None:
    listed = inspect(make_key("read-only")["key"]).ask("tools/list", "--strict")
    assert listed.code == 0, listed.told
    tools = {tool["name"]: tool for tool in listed.result["tools"]}
    assert set(tools) == set(TOOLS)
    for name, tool in tools.items():
        assert tool["annotations"]["readOnlyHint"] is not TOOLS[name].changes
        assert set(tool["inputSchema"]["properties"]) == set(TOOLS[name].model_fields)


def test_it_reads_and_can_change_nothing_with_a_key_that_reads_only(
    inspect: Inspect, make_key: MakeKey, path: Path
) -> None:
    inspector = inspect(make_key("read-only")["key"])
    read = inspector.call("list_cells")
    assert read.code == 0, read.told
    assert "n.ipynb: 2 cells" in read.text
    refused = inspector.call("edit_cell", **_EDIT)
    assert refused.code == 5
    assert "The policy read-only of this turn doesn't let agents" in refused.text
    assert cells_of(path)[0]["source"] == "n = 1"


def test_an_edit_waits_for_the_user_and_can_be_taken_back(
    inspect: Inspect, user: AsUser, make_key: MakeKey, path: Path
) -> None:
    inspector = inspect(make_key("ask")["key"])
    before = _sessions(user)
    begun = inspector.begin_call("edit_cell", **_EDIT)
    (session_id,) = eventually(lambda: _sessions(user) - before, "its session")
    turn_id = user.newest_turn(session_id)
    request = user.permission(turn_id)
    assert cells_of(path)[0]["source"] == "n = 1"
    user.answer(session_id, request["request_id"], "allow").raise_for_status()
    edited = inspector.end(begun)
    assert edited.code == 0, edited.told
    assert edited.text.startswith("Edited. Its fingerprint is now")
    assert cells_of(path)[0]["source"] == "n = 2"
    user.ended(turn_id)
    user.post(f"turns/{turn_id}/revert", {}).raise_for_status()
    assert cells_of(path)[0]["source"] == "n = 1"


def test_a_revoked_key_is_refused_and_it_says_why(
    inspect: Inspect, user: AsUser, make_key: MakeKey
) -> None:
    made = make_key()
    inspector = inspect(made["key"])
    user.delete(f"outside-keys/{made['entry']['key_id']}")
    refused = inspector.call("list_cells")
    assert refused.code == 1
    assert "This key is not valid" in refused.told
