"""Agents outside: what they may do with a key, and what the user sees of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from acp_jupyter.host.workspace.checkpoints.notebook_cells import fingerprint
from tests.features.outside.conftest import MakeKey
from tests.features.outside.support.mcp_client import Outside
from tests.notebook_tools.in_process import write_notebook
from tests.notebook_tools.talk import cells_of
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.user import AsUser
from tests.support.wait import eventually


def _session(user: AsUser, name: str = "claude-code (outside)") -> Any:
    """Wait for the newest session of an agent outside."""

    def newest() -> Any:
        found = [s for s in user.get("sessions") if s["agent_info"]["name"] == name]
        return found[-1] if found else None

    return eventually(newest, what=name)


def _calls(user: AsUser, turn_id: str) -> list[Any]:
    return [item for item in user.turn(turn_id)["items"] if item["kind"] == "tool_call"]


def test_reading_needs_no_answer_and_each_call_is_shown(
    server: JupyterServer, user: AsUser, make_key: MakeKey
) -> None:
    key = make_key("read-only")
    before = len(user.get("sessions"))
    with Outside(server.url, key["key"], "reader") as agent:
        assert agent.hello["result"]["serverInfo"]["name"] == "notebook"
        tools = agent.ask("tools/list")["result"]["tools"]
        assert {"list_cells", "edit_cell", "run_code"} <= {tool["name"] for tool in tools}
        assert len(user.get("sessions")) == before  # a client that only connects makes none
        assert "n.ipynb: 2 cells" in agent.call("list_cells")
        assert "n + 1" in agent.call("read_cells", cell_ids=["cell-1"])
        session = _session(user, "reader (outside)")
        assert session["agent"] == "outside"
        assert session["notebook_path"] == "work/n.ipynb"
        assert session["policy"] == "read-only"
        turn_id = session["active_turn_id"]
        calls = _calls(user, turn_id)
        assert [(call["title"], call["status"], call["permission"]) for call in calls] == [
            ("List the cells of the notebook", "completed", None),
            ("Read cells", "completed", None),
        ]
        assert calls[1]["raw_input"] == {"cell_ids": ["cell-1"]}
    turn = user.ended(turn_id)["turn"]  # the client has gone
    assert turn["stop_reason"] == "end_turn"
    assert key["key"] not in server.log.read_text()


def test_what_would_write_is_refused_until_the_user_allows_asking_and_then_asked(
    server: JupyterServer, user: AsUser, make_key: MakeKey, path: Path
) -> None:
    edit: dict[str, Any] = {
        "cell_id": "cell-0",
        "fingerprint": fingerprint("n = 1"),
        "edits": [{"old": "1", "new": "2"}],
    }
    with Outside(server.url, make_key("read-only")["key"], "writer") as agent:
        refused = agent.call("edit_cell", **edit)
        assert refused.startswith("failed: The policy read-only of this turn doesn't let agents")
        assert "Ask the user to choose another policy" in refused
        assert agent.call("run_code", code="n = 9").startswith("failed: The policy read-only")
        assert agent.call("interrupt").startswith("failed: The policy read-only")
        session = _session(user, "writer (outside)")
        shown = _calls(user, session["active_turn_id"])
        assert [(call["status"], call["permission"]) for call in shown] == [("failed", None)] * 3
        # The user's choice counts from the next call on.
        session_id = session["session_id"]
        user.post(f"sessions/{session_id}/config", {"policy": "ask"}).raise_for_status()
        begun = agent.begin_call("edit_cell", **edit)
        turn_id = eventually(
            lambda: next(
                (t for t in user._turn_ids(session_id) if t != session["active_turn_id"]), ""
            )
        )
        request = user.permission(turn_id)
        (call,) = _calls(user, turn_id)
        assert call["title"] == "Edit cell 1 of n.ipynb"
        assert [(d["old_text"], d["new_text"]) for d in call["diffs"]] == [("n = 1", "n = 2")]
        assert cells_of(path)[0]["source"] == "n = 1"
        user.answer(session_id, request["request_id"], "allow").raise_for_status()
        assert agent.text(begun).startswith("Edited. Its fingerprint is now")
        assert cells_of(path)[0]["source"] == "n = 2"
        begun = agent.begin_call("run_code", code="n = 9")
        request = user.permission(turn_id)
        user.answer(session_id, request["request_id"], "reject").raise_for_status()
        assert agent.text(begun).startswith("failed: This was rejected.")
    user.ended(turn_id)
    # What was changed can be taken back, like in any other turn.
    changes = user.get(f"turns/{turn_id}/changes")
    assert [file["path"] for file in changes["files"]] == ["n.ipynb"]
    user.post(f"turns/{turn_id}/revert", {}).raise_for_status()
    assert cells_of(path)[0]["source"] == "n = 1"


def test_nobody_is_asked_by_silence_and_a_client_that_goes_away_takes_its_question_back(
    server: JupyterServer, user: AsUser, make_key: MakeKey, path: Path
) -> None:
    agent = Outside(server.url, make_key("ask")["key"], "leaver")
    agent.begin_call("delete_cell", cell_id="cell-0", fingerprint=fingerprint("n = 1"))
    session = _session(user, "leaver (outside)")
    turn_id = user.newest_turn(session["session_id"])
    assert user.permission(turn_id)["state"] == "pending"
    agent.process.kill()
    agent.close()
    (permission,) = user.permissions(user.ended(turn_id))
    assert permission["state"] not in {"pending", "allowed"}
    assert [cell["id"] for cell in cells_of(path)] == ["cell-0", "cell-1"]


def test_a_turn_that_is_stopped_ends_its_calls_and_the_next_call_begins_another(
    server: JupyterServer, user: AsUser, make_key: MakeKey
) -> None:
    with Outside(server.url, make_key("ask")["key"], "stopped") as agent:
        begun = agent.begin_call("run_code", code="1")
        session = _session(user, "stopped (outside)")
        turn_id = user.newest_turn(session["session_id"])
        user.permission(turn_id)
        user.post(f"sessions/{session['session_id']}/cancel", {}).raise_for_status()
        assert agent.text(begun).startswith("failed: ")
        assert user.ended(turn_id)["turn"]["stop_reason"] == "cancelled"
        assert "2 cells" in agent.call("list_cells")
        assert user.newest_turn(session["session_id"]) != turn_id


def test_the_user_can_write_nothing_into_its_session(
    server: JupyterServer, user: AsUser, make_key: MakeKey
) -> None:
    with Outside(server.url, make_key()["key"], "deaf") as agent:
        agent.call("list_cells")
        session_id = _session(user, "deaf (outside)")["session_id"]
        answer = user.post(f"sessions/{session_id}/prompt", {"prompt": "Hi"})
        assert answer.status_code == 409
        assert "Write to it where it runs" in answer.json()["message"]


def test_two_clients_of_one_key_have_sessions_of_their_own_and_a_returning_one_its_former(
    server: JupyterServer, user: AsUser, make_key: MakeKey
) -> None:
    key = make_key()["key"]

    def sessions() -> list[str]:
        all_ = user.get("sessions")
        return [s["session_id"] for s in all_ if s["agent_info"]["name"] == "twin (outside)"]

    with Outside(server.url, key, "twin") as one, Outside(server.url, key, "twin") as two:
        one.call("list_cells")
        two.call("list_cells")
        assert len(sessions()) == 2
    eventually(lambda: all(s["active_turn_id"] is None for s in user.get("sessions")))
    with Outside(server.url, key, "twin") as again:
        again.call("list_cells")
        assert len(sessions()) == 2


def test_a_key_is_for_one_notebook_and_says_when_that_has_gone(
    server: JupyterServer, user: AsUser, make_key: MakeKey
) -> None:
    renamed = server.root / "work" / "old.ipynb"
    write_notebook(renamed, "x")
    with Outside(server.url, make_key(notebook="work/old.ipynb")["key"], "mover") as agent:
        assert "old.ipynb: 1 cells" in agent.call("list_cells")
        assert agent.call("list_variables").startswith("failed: no_kernel: ")
        renamed.rename(renamed.with_name("new.ipynb"))
        told = agent.call("list_cells")
        assert told.startswith("failed: no_notebook: ")
        assert "may have been renamed" in told


def test_a_client_says_who_it_is_and_nothing_else(
    server: JupyterServer, user: AsUser, make_key: MakeKey
) -> None:
    name = "<b>Demo</b>\n‮" + "x" * 100
    with Outside(server.url, make_key()["key"], name) as agent:
        agent.call("list_cells")
        shown = [s["agent_info"]["name"] for s in user.get("sessions")]
        (odd,) = [each for each in shown if each.startswith("b Demo b")]
        assert odd.endswith(" (outside)")
        assert len(odd) == 50
