"""A permission request belongs to the tool call that it means."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.protocol.host_events.notes import AgentExited, PermissionSettledNote
from acp_jupyter.protocol.packets import PermissionRequest
from acp_jupyter.protocol.traffic_reader import TrafficReader
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.acceptance.shown import only, shown
from tests.support.transcript.traffic import Script

Json = dict[str, Any]

LS: Json = {
    "toolCallId": "call-1",
    "title": "ls -la",
    "kind": "execute",
    "rawInput": {"command": "ls -la"},
}


def calls(script: Script) -> list[ToolCall]:
    return list(shown(script, ToolCall))


@pytest.fixture
def script() -> Script:
    script = Script(cwd="/ws")
    script.turn()
    return script


@pytest.mark.parametrize(
    ("kinds", "kept"),
    [
        (("reject_once", "reject_always"), 0),
        (("reject_once", "allow_once"), 1),
        (("allow_once", "reject_once"), 0),
        (("allow_once", "allow_always"), 0),
    ],
)
def test_of_options_with_one_id_one_is_kept(
    script: Script, kinds: tuple[str, str], kept: int
) -> None:
    """The first, unless only the second says that the id allows."""
    options = [{"optionId": "x", "name": kind, "kind": kind} for kind in kinds]
    script.ask(LS, options)
    permission = only(script, ToolCall).permission
    assert permission is not None
    assert [option.option_kind for option in permission.options] == [kinds[kept]]


@pytest.mark.parametrize(
    "asked",
    [
        {"toolCallId": "shell-permission"},
        {"toolCallId": "shell-permission", "kind": "execute"},
        {"toolCallId": "shell-permission", "title": "Run ls -la", "kind": "other"},
        {"toolCallId": "x", "title": "Anything", "rawInput": {"command": "ls -la"}},
    ],
    ids=str,
)
def test_a_label_means_the_newest_call_that_is_under_way(script: Script, asked: Json) -> None:
    script.update("tool_call", **LS, status="pending")
    request = script.ask(asked)
    call = only(script, ToolCall)
    assert call.tool_call_id == "call-1"
    assert call.command == "ls -la"
    assert call.permission is not None
    assert call.permission.request_id == request
    assert call.permission.rule == "execute:ls -la"


@pytest.mark.parametrize(
    "asked",
    [
        {"toolCallId": "x", "kind": "edit"},
        {"toolCallId": "x", "title": "rm -r ."},
        {"toolCallId": "x", "kind": "execute", "rawInput": {"command": "rm -r ."}},
    ],
    ids=str,
)
def test_what_contradicts_is_a_card_of_its_own(script: Script, asked: Json) -> None:
    script.update("tool_call", **LS, status="pending")
    script.ask(asked)
    first, second = calls(script)
    assert (first.permission, second.tool_call_id) == (None, "x")
    assert second.permission is not None
    assert second.command != "ls -la"


def test_a_call_that_is_done_or_was_asked_about_is_not_meant(script: Script) -> None:
    script.update("tool_call", **LS, status="completed")
    script.update("tool_call", **{**LS, "toolCallId": "call-2"}, status="pending")
    script.ask({"toolCallId": "label"})
    script.ask({"toolCallId": "label"})
    ids = [(c.tool_call_id, c.permission is not None) for c in calls(script)]
    assert ids == [("call-1", False), ("call-2", True), ("label", True)]


def test_a_label_for_every_call_joins_each(script: Script) -> None:
    for number in (1, 2):
        script.update("tool_call", **{**LS, "toolCallId": f"call-{number}"}, status="pending")
        script.answer(script.ask({"toolCallId": "shell-permission"}), "once")
    assert [c.permission.state for c in calls(script) if c.permission] == ["allowed"] * 2


def test_two_questions_about_one_call_can_both_be_answered(script: Script) -> None:
    script.update("tool_call", **LS, status="pending")
    first = script.ask({"toolCallId": "call-1"})
    second = script.ask({"toolCallId": "call-1"})
    assert script.transcript.session.waiting == 2
    shown_commands = [call.command for call in calls(script)]
    assert shown_commands == ["ls -la", "ls -la"]
    script.answer(second, "no")
    script.answer(first, "once")
    assert [c.permission.state for c in calls(script) if c.permission] == ["allowed", "rejected"]
    assert script.transcript.session.waiting == 0


def test_one_label_for_two_deeds_keeps_what_was_answered_first(script: Script) -> None:
    script.answer(
        script.ask({"toolCallId": "perm", "title": "a", "rawInput": {"command": "a"}}), "once"
    )
    script.ask({"toolCallId": "perm", "title": "b", "rawInput": {"command": "b"}})
    states = [(c.command, c.permission.state) for c in calls(script) if c.permission]
    assert states == [("a", "allowed"), ("b", "pending")]


@pytest.mark.parametrize(
    ("note", "option", "state", "outcome"),
    [
        ({"by": "rule", "rule": "execute:ls"}, "once", "allowed", "Allowed by rule: execute:ls"),
        ({"by": "user", "reason": "Too slow"}, "no", "rejected", "Rejected: Too slow"),
        ({"by": "withdrawn"}, None, "cancelled", "Withdrawn by the agent"),
    ],
    ids=str,
)
def test_what_became_of_it(
    script: Script, note: Json, option: str | None, state: str, outcome: str
) -> None:
    request = script.ask(LS)
    script.note(PermissionSettledNote(request_id=request, **note))
    script.answer(request, option)
    permission = only(script, ToolCall).permission
    assert permission is not None
    assert (permission.state, permission.outcome) == (state, outcome)


def test_a_question_offers_no_rule(script: Script) -> None:
    options = [
        {"optionId": f"q0_opt_{n}", "name": name, "kind": "allow_once"}
        for n, name in enumerate(("red", "blue"))
    ]
    script.ask(LS, options)
    permission = only(script, ToolCall).permission
    assert permission is not None
    assert permission.rule == ""


@pytest.mark.parametrize("other", [{"cwd": "/ws"}, {"cwd": "/ws", "timeout": 5}], ids=str)
def test_one_field_that_agrees_does_not_make_up_for_one_that_contradicts(
    script: Script, other: Json
) -> None:
    """The card shows the call as requested, not as sent before."""
    known = {**LS, "rawInput": {"command": "ls -la", **other}}
    script.update("tool_call", **known, status="pending")
    script.ask({"toolCallId": "x", "rawInput": {"command": "rm -r .", **other}})
    first, second = calls(script)
    assert (first.command, first.permission) == ("ls -la", None)
    assert (second.command, second.permission is None) == ("rm -r .", False)


def _sent(script: Script, **params: Any) -> None:
    options = [
        {"optionId": "once", "name": "Allow once", "kind": "allow_once"},
        {"optionId": "no", "name": "Reject", "kind": "reject_once"},
    ]
    params = {"sessionId": "a1", "toolCall": LS, "options": options, **params}
    script.line("<", {"id": 9, "method": "session/request_permission", "params": params})


@pytest.mark.parametrize(
    "own",
    [
        {"wish": "read the weather", "reason": "It is quite safe."},
        {"auto_approve": True},
        {"autoApprove": True},
    ],
    ids=str,
)
def test_an_agent_cannot_write_what_the_host_says(script: Script, own: Json) -> None:
    """The title, the reason and what was allowed without asking are the host's own words."""
    _sent(script, **own)
    permission = only(script, ToolCall).permission
    assert permission is not None
    assert permission.title == "Demo wants to run a command"
    assert (permission.reason, permission.state, permission.outcome) == ("", "pending", "")
    assert script.transcript.session.waiting == 1
    (packet,) = TrafficReader().read(script.entries[-1])
    assert isinstance(packet, PermissionRequest)
    assert (packet.action, packet.reason, packet.auto_approve) == ("", "", False)


def test_an_agent_cannot_give_an_option_two_kinds(script: Script) -> None:
    """The kind of an option is kept in its _meta only where it is unknown."""
    kept = {"acp-jupyter/kind": "allow_once"}
    option = {"optionId": "x", "name": "Reject", "kind": "reject_once", "_meta": kept}
    odd = {"optionId": "y", "name": "Maybe", "kind": "perhaps", "_meta": kept}
    _sent(script, options=[option, odd])
    permission = only(script, ToolCall).permission
    assert permission is not None
    assert [option.option_kind for option in permission.options] == ["reject_once", "perhaps"]


def test_no_button_that_rejects_sends_what_allows(script: Script) -> None:
    reject = {"optionId": "x", "name": "Reject", "kind": "reject_once"}
    allow = {"optionId": "x", "name": "Allow", "kind": "allow_once"}
    other = {"optionId": "y", "name": "No", "kind": "reject_once"}
    for options in ([reject, allow, other], [allow, reject, other]):
        _sent(script, options=options)
        permission = calls(script)[-1].permission
        assert permission is not None
        assert [(option.option_id, option.name) for option in permission.options] == [
            ("x", "Allow"),
            ("y", "No"),
        ]


def test_all_open_requests_expire_with_their_agent(script: Script) -> None:
    """Nothing waits for an answer that no one can take."""
    for number in range(3):
        script.ask({**LS, "toolCallId": f"call-{number}"})
    script.note(AgentExited(words="It stopped."))
    states = [call.permission.state for call in calls(script) if call.permission]
    assert (states, script.transcript.session.waiting) == (["expired"] * 3, 0)


def test_a_request_without_content_keeps_what_was_shown(script: Script) -> None:
    """An empty value in a request erases nothing."""
    shown_diff = {"type": "diff", "path": "/ws/a.py", "oldText": "a", "newText": "b"}
    given = {"rawInput": {"path": "/ws/a.py"}, "locations": [{"path": "/ws/a.py"}]}
    edit = {"toolCallId": "call-1", "title": "Edit a.py", "kind": "edit", **given}
    script.update("tool_call", **edit, content=[shown_diff], status="pending")
    before = only(script, ToolCall)
    script.ask({"toolCallId": "call-1", "content": [], "rawInput": {}, "locations": []})
    after = only(script, ToolCall)
    assert [(diff.old_text, diff.new_text) for diff in after.diffs] == [("a", "b")]
    assert (after.raw_input, after.locations) == (before.raw_input, before.locations)


@pytest.mark.parametrize("asked", [{}, {"kind": "execute"}, {"kind": "execute", "title": "x"}])
def test_what_a_request_says_of_a_known_command_is_its_reason(script: Script, asked: Json) -> None:
    """Nothing ran yet, so it is no output, whether or not the request names the kind again."""
    script.update("tool_call", **LS, status="pending")
    words = {"type": "content", "content": {"type": "text", "text": "To see what is there"}}
    script.ask({"toolCallId": "call-1", "content": [words], **asked})
    call = only(script, ToolCall)
    assert call.permission is not None
    assert "To see what is there" in call.permission.reason
    assert call.output == ""


@pytest.mark.parametrize(("empty", "state"), [("once", "allowed"), ("no", "rejected")])
def test_an_option_may_have_an_empty_id(script: Script, empty: str, state: str) -> None:
    """The option's id is the agent's; an empty one can be chosen, too."""
    options = [
        {"optionId": "" if name == empty else name, "name": name, "kind": kind}
        for name, kind in (("once", "allow_once"), ("no", "reject_once"))
    ]
    script.answer(script.ask(LS, options), "")
    permission = only(script, ToolCall).permission
    assert permission is not None
    assert (permission.state, permission.chosen) == (state, empty)


def test_a_call_takes_no_time_while_its_user_is_asked(script: Script) -> None:
    script.update("tool_call", **LS, status="pending")
    request = script.ask({"toolCallId": "call-1"})
    for _ in range(9):  # seconds pass
        script.text("Still here.")
    script.answer(request, "yes")
    script.update("tool_call_update", toolCallId="call-1", status="completed")
    call = only(script, ToolCall)
    assert call.started_at is not None
    assert call.ended_at is not None
    assert call.ended_at - call.started_at == 2


def test_the_host_says_itself_what_it_asks(script: Script) -> None:
    """Neither the agent's words nor the kind of the call are in its title and reason."""
    call = {"toolCallId": "c7", "title": "Just a look", "kind": "edit"}
    asked = {"type": "permission_request", "request_id": "t1", "tool_call": call}
    script.imported({**asked, "action": "read a secret", "reason": "It is one."})
    permission = only(script, ToolCall).permission
    assert permission is not None
    assert (permission.title, permission.reason) == ("Demo wants to read a secret", "It is one.")


def test_a_picture_in_a_request_about_a_command_is_shown(script: Script) -> None:
    """Only its words are the reason."""
    words = {"type": "text", "text": "To see what is there"}
    image = {"type": "image", "data": "aQ==", "mimeType": "image/png"}
    content = [{"type": "content", "content": block} for block in (words, image)]
    script.ask({**LS, "content": content})
    call = only(script, ToolCall)
    assert call.permission is not None
    assert call.permission.reason == "To see what is there"
    assert [block.type for block in call.blocks] == ["image"]


def test_a_request_may_tell_the_places(script: Script) -> None:
    script.update("tool_call", toolCallId="c", title="Tidy up", kind="edit")
    script.ask({"toolCallId": "c", "locations": [{"path": "/ws/a.py", "line": 3}]})
    call = only(script, ToolCall)
    assert [(place.path, place.line) for place in call.locations] == [("a.py", 3)]
    assert call.permission is not None
    assert call.permission.rule == "edit:a.py"


def test_a_label_of_an_earlier_turn_means_a_call_of_this_one() -> None:
    script = Script(cwd="/ws")
    prompt = script.turn()
    script.answer(script.ask({**LS, "toolCallId": "label"}), "once")
    script.end(prompt)
    script.turn("Again", "t2")
    script.update("tool_call", **LS, status="pending")
    script.ask({"toolCallId": "label"})
    asked = [(c.tool_call_id, c.permission.state) for c in calls(script) if c.permission]
    assert asked == [("label", "allowed"), ("call-1", "pending")]


@pytest.mark.parametrize("empty", [None, "", [], {}], ids=str)
def test_an_empty_field_contradicts_nothing(script: Script, empty: Any) -> None:
    known = {**LS, "rawInput": {"command": "ls -la", "cwd": "/ws"}}
    script.update("tool_call", **known, status="pending")
    script.ask({"toolCallId": "x", "rawInput": {"command": "ls -la", "cwd": empty}})
    assert only(script, ToolCall).tool_call_id == "call-1"


def test_a_second_question_about_a_call_may_be_of_another_tool(script: Script) -> None:
    """What the request itself says of the tool counts."""
    script.ask({"toolCallId": "c", "title": "edit", "kind": "edit"})
    named = {"claudeCode": {"toolName": "Bash"}}
    run = {"kind": "execute", "title": "bash", "rawInput": {"command": "ls"}}
    script.ask({"toolCallId": "c", **run, "_meta": named})
    assert [call.title for call in calls(script)] == ["Writing file", "Running command"]


def test_the_card_tells_which_user_answered(script: Script) -> None:
    request = script.ask(LS)
    script.note(PermissionSettledNote(request_id=request, by="user", shown_name="Ann"))
    script.answer(request, "once")
    permission = only(script, ToolCall).permission
    assert permission is not None
    assert (permission.answered_by, permission.outcome) == ("Ann", "Allowed once")
