"""What people read of a permission: who wants what, and what became of it."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.protocol.host_events.notes import AgentExited, PermissionSettledNote
from acp_jupyter.transcript.model.tool_items import Permission, ToolCall
from tests.acceptance.shown import only, shown
from tests.support.transcript.traffic import Script

Json = dict[str, Any]


def asked(call: Json | None = None, options: list[dict[str, str]] | None = None) -> Any:
    """Start a turn in which something is asked; return the script and the request."""
    script = Script(cwd="/ws")
    script.turn()
    return script, script.ask({"toolCallId": "c", **(call or {})}, options)


def permission(script: Script) -> Permission:
    found = only(script, ToolCall).permission
    assert found is not None
    return found


OLD = {"type": "diff", "path": "/ws/a", "oldText": "a", "newText": "b"}


@pytest.mark.parametrize(
    ("call", "action"),
    [
        ({"kind": "edit", "content": [OLD]}, "edit a file"),
        ({"kind": "edit", "content": [{**OLD, "oldText": None}]}, "create a file"),
        ({"kind": "edit"}, "edit a file"),
        ({"kind": "execute"}, "run a command"),
        ({"kind": "delete"}, "delete a file"),
        ({"kind": "move"}, "move a file"),
        ({"kind": "read"}, "read a file"),
        ({"kind": "fetch"}, "fetch from the web"),
        ({"kind": "search"}, "search"),
        ({"kind": "think"}, "continue"),
        ({"kind": "switch_mode"}, "continue"),
        ({"kind": "other"}, "continue"),
        ({}, "continue"),
    ],
    ids=str,
)
def test_who_wants_what(call: Json, action: str) -> None:
    """S3.26: the agent, and the kind of its action."""
    script, _ = asked({"title": "x", **call})
    assert permission(script).title == f"Demo wants to {action}"


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        ({"title": "Tidy up", "kind": "execute", "rawInput": {"command": "rm a"}}, "Tidy up"),
        ({"title": "rm a", "kind": "execute", "rawInput": {"command": "rm a"}}, ""),
        ({"title": "Run rm a", "kind": "execute", "rawInput": {"command": "rm a"}}, ""),
        ({"title": "edit", "kind": "edit", "content": [OLD]}, ""),
        ({"title": "Edit a", "kind": "edit", "content": [OLD]}, ""),
        ({"title": "bash", "rawInput": {"command": "rm a", "description": "Tidy up"}}, "Tidy up"),
        ({"title": "delete_file"}, "delete_file"),
        (
            {
                "title": "Look",
                "rawInput": {"description": "Now", "command": "x y"},
                "kind": "other",
            },
            "Look Now",
        ),
    ],
    ids=str,
)
def test_why(call: Json, reason: str) -> None:
    """S3.26: what the agent says beyond the command, path and diff that are shown anyway."""
    script, _ = asked(call)
    assert permission(script).reason == reason


OPTIONS = [
    {"optionId": "1", "name": "Yes", "kind": "allow_once"},
    {"optionId": "2", "name": "Yes, always", "kind": "allow_always"},
    {"optionId": "3", "name": "No", "kind": "reject_once"},
    {"optionId": "4", "name": "Never", "kind": "reject_always"},
    {"optionId": "5", "name": "Blue", "kind": "colour"},
]


@pytest.mark.parametrize(
    ("option", "state", "chosen", "outcome"),
    [
        ("1", "allowed", "Yes", "Allowed once"),
        ("2", "allowed", "Yes, always", "Always allowed"),
        ("3", "rejected", "No", "Rejected"),
        ("4", "rejected", "Never", "Always rejected"),
        ("5", "answered", "Blue", "Blue"),
        (None, "cancelled", "", "Dismissed"),
        ("9", "cancelled", "", "Dismissed"),
    ],
)
def test_what_became_of_it(option: str | None, state: str, chosen: str, outcome: str) -> None:
    """S3.27, C20: by the option's kind, not by the mere answer."""
    script, request = asked({"title": "x"}, OPTIONS)
    script.answer(request, option)
    settled = permission(script)
    assert (settled.state, settled.chosen, settled.outcome) == (state, chosen, outcome)
    assert script.transcript.session.waiting == 0


@pytest.mark.parametrize(
    ("by", "option", "state", "outcome"),
    [
        ("policy", "1", "allowed", "Allowed by policy: read-only"),
        ("policy", "3", "rejected", "Rejected by policy: read-only"),
        ("record", "1", "allowed", "Allowed once (recorded)"),
        ("turn_cancelled", None, "cancelled", "Not answered: turn stopped"),
        ("user", "1", "allowed", "Allowed once"),
    ],
)
def test_who_answered(by: Any, option: str | None, state: str, outcome: str) -> None:
    """S3.27: a rule by its name; a stop is no answer."""
    script, request = asked({"title": "x"}, OPTIONS)
    script.note(PermissionSettledNote(request_id=request, by=by, rule="read-only"))
    script.answer(request, option)
    assert (permission(script).state, permission(script).outcome) == (state, outcome)


def test_a_request_says_what_shall_happen() -> None:
    """S3.26, S1.10: not that it does; and what is empty in it erases nothing."""
    script = Script()
    script.turn()
    call: Json = {"toolCallId": "c", "title": "bash", "rawInput": {"command": "ls"}}
    script.update("tool_call", **call, status="pending")
    empties: list[Any] = [{}, [], "", None]
    for empty in empties:
        asked = {"toolCallId": "c", "status": "completed", "rawInput": empty, "content": []}
        script.answer(script.ask(asked), None)
        (item,) = shown(script, ToolCall)
        assert (item.status, item.command, item.raw_input) == ("pending", "ls", {"command": "ls"})


def test_a_question_is_a_state_of_the_turn() -> None:
    """S3.26, S3.27: it waits, and goes on."""
    script, request = asked({"title": "x"}, OPTIONS)
    session = script.transcript.session
    assert (session.status, session.waiting) == ("requires_action", 1)
    assert script.transcript.turns["t1"].status == "requires_action"
    script.answer(request, "1")
    assert script.transcript.session.status == "running"
    assert script.transcript.turns["t1"].status == "running"


def test_nobody_is_a_refusal() -> None:
    """S3.27: and a process that is gone was allowed nothing."""
    script, request = asked({"title": "x"})
    script.note(PermissionSettledNote(request_id=request, by="nobody"))
    words = "Nobody could be asked, so this was rejected."
    told = permission(script)
    assert (told.state, told.outcome, told.chosen) == ("rejected", words, "")
    script, request = asked({"title": "x"})
    script.note(PermissionSettledNote(request_id=request, by="agent_exited"))
    gone = ("expired", "Expired: the agent stopped")
    assert (permission(script).state, permission(script).outcome) == gone
    script, _ = asked({"title": "x"})
    script.note(AgentExited(words="was killed"))
    assert (permission(script).state, permission(script).outcome) == gone
