"""What single updates, requests and answers say, in each of their spellings."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from acp_jupyter.packets import ParseState, parse_packet
from acp_jupyter.protocol.content import TextBlock, instructions_block
from acp_jupyter.protocol.objects import Obj
from acp_jupyter.protocol.packets import (
    AgentPlanUpdate,
    OptionPacket,
    PermissionRequest,
    ToolCallProgress,
    UserMessageChunk,
)
from acp_jupyter.protocol.parse import steering
from acp_jupyter.protocol.parse.elicitation import streamed_request
from acp_jupyter.protocol.parse.session import (
    agent_info,
    auth_status,
    call_cancel,
    compaction_chunk,
)

Json = dict[str, Any]


def progress(state: ParseState | None = None, **fields: Any) -> ToolCallProgress:
    update = {"sessionUpdate": "tool_call_update", "toolCallId": "c", **fields}
    packet = parse_packet(update, state)
    assert isinstance(packet, ToolCallProgress)
    return packet


@pytest.mark.parametrize(
    ("plan", "text"), [({"uri": "file:///p.md"}, "file:///p.md"), ({"markdown": "# A"}, "# A")]
)
def test_a_plan_may_be_text_or_a_file(plan: Json, text: str) -> None:
    packet = parse_packet({"sessionUpdate": "plan_update", "plan": plan})
    assert isinstance(packet, AgentPlanUpdate)
    assert packet.text == text


def test_what_an_agent_takes_in_a_prompt() -> None:
    flags: Obj = {"audio": True, "image": 1, "embeddedContext": True, "moon": True}
    info = agent_info({"agentCapabilities": {"promptCapabilities": flags}})
    assert info.prompt_capabilities == ("audio", "embeddedContext")


@pytest.mark.parametrize("state", ["authenticated", "unauthenticated", "not_required"])
def test_whether_a_login_is_needed(state: str) -> None:
    assert auth_status({"state": state}).state == state
    assert auth_status({"state": f"{state}?"}).state == "unknown"


def test_a_cancel_is_refused_only_where_the_agent_says_so() -> None:
    assert not call_cancel({"toolCallId": "c"}).refused
    assert call_cancel({"toolCallId": "c"}, refused=True).refused


@pytest.mark.parametrize("key", ["compactionId", "compaction_id"])
def test_a_piece_of_a_summary_belongs_to_its_compaction(key: str) -> None:
    content: Obj = {"type": "text", "text": "a"}
    chunk = compaction_chunk({key: "k", "content": content})
    assert chunk is not None
    assert (chunk.key, chunk.detail) == ("k", "a")
    assert compaction_chunk({"content": content}) is None


def test_a_message_for_the_turn_that_was_not_understood_has_failed() -> None:
    outcomes = get_args(steering.Outcome)
    assert [steering.outcome_of({"outcome": each}) for each in outcomes] == [*outcomes]
    assert {*outcomes} == {"injected", "startedNewTurn", "promptRequired", "failed"}
    odds: list[Obj] = [{}, {"outcome": "moon"}, {"outcome": 5}, {"outcome": ["injected"]}]
    for odd in odds:
        assert steering.outcome_of(odd) == "failed"


@pytest.mark.parametrize("key", ["requestId", "request_id"])
def test_a_question_of_a_stream_has_an_id(key: str) -> None:
    asked = streamed_request({key: "q", "message": "Which?"})
    assert asked is not None
    assert (asked.request_id, asked.message, asked.fields) == ("q", "Which?", ())
    assert streamed_request({"message": "Which?"}) is None


def test_a_request_that_leaves_the_answers_to_the_client_is_answered_yes_or_no() -> None:
    raw: Json = {"type": "permission_request", "request_id": "r", "operation": "Write x"}
    request = parse_packet({**raw, "_meta": {"acp-jupyter/words": "Really?"}})
    assert isinstance(request, PermissionRequest)
    assert request.words == "Really?"
    assert request.options == (
        OptionPacket(option_id="allow", name="Allow", kind="allow_once"),
        OptionPacket(option_id="reject", name="Reject", kind="reject_once"),
    )
    none = parse_packet({**raw, "options": []})
    assert isinstance(none, PermissionRequest)
    assert none.options == ()


@pytest.mark.parametrize("key", ["parentToolCallId", "claudeCode"])
def test_what_a_subagent_does_names_its_call(key: str) -> None:
    meta: Json = {key: "p" if key == "parentToolCallId" else {"parentToolUseId": "p"}}
    assert progress(_meta=meta).parent_id == "p"


def test_an_empty_content_empties_what_is_shown() -> None:
    assert progress(content=[]).content == ()
    assert progress(content=None).content is None


def test_output_without_an_id_is_of_the_terminal_that_the_call_shows() -> None:
    meta = {"terminal_output": {"data": "a"}}
    shown = [{"type": "text", "text": "b"}, {"type": "terminal", "terminalId": "t"}]
    for content, wanted in ((shown, "t"), (shown[:1], "c")):
        terminal = progress(content=content, _meta=meta).terminal
        assert terminal is not None
        assert terminal.terminal_id == wanted


def test_the_names_and_kinds_of_calls_are_known_after_a_restart() -> None:
    before, after = ParseState(), ParseState()
    progress(before, title="grep", kind="search")
    progress(before, toolCallId="d", title="Look it up", kind="fetch")
    after.load(before.saved())
    assert progress(after).tool_name == "grep"
    assert (after.kind("c", {}), after.kind("d", {})) == ("search", "fetch")


def test_a_prompt_that_is_told_again_has_no_instructions() -> None:
    marked = instructions_block("Be brief.")["text"]
    update = {"sessionUpdate": "user_message_chunk", "content": f"{marked}Do it."}
    packet = parse_packet(update)
    assert packet == UserMessageChunk(block=TextBlock(text="Do it."))
