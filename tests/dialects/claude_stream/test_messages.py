"""The Claude CLI's dialect: what the model says, and how a turn ends."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.agents.claude_output import log_names, read, recorded

Json = dict[str, Any]


def assistant(*blocks: Json, message_id: str = "m1", **line: Any) -> Json:
    message = {"role": "assistant", "id": message_id, "content": list(blocks)}
    return {"type": "assistant", "message": message, "session_id": "s", **line}


def said(text: str) -> Json:
    return {"type": "text", "text": text}


def event(**fields: Any) -> Json:
    return {"type": "stream_event", "event": fields, "parent_tool_use_id": None}


def message_start(message_id: str = "m1") -> Json:
    return event(type="message_start", message={"id": message_id})


def delta(text: str, index: int = 0, kind: str = "text") -> Json:
    piece = {"type": f"{kind}_delta", kind: text}
    return event(type="content_block_delta", index=index, delta=piece)


def result(subtype: str = "success", **fields: Any) -> Json:
    return {"type": "result", "subtype": subtype, "session_id": "s", **fields}


def test_the_parts_of_a_message() -> None:
    """Text becomes a message, a tool_use a tool call with the kind of its name."""
    block = {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "/w/a.py"}}
    meaning = read(assistant(said("Hello!"), block))
    (chunk,) = meaning.of("agent_message_chunk")
    assert chunk["content"] == {"type": "text", "text": "Hello!"}
    assert chunk["messageId"] == "m1"
    (call,) = meaning.of("tool_call")
    assert (call["toolCallId"], call["kind"], call["status"]) == ("t1", "read", "in_progress")
    assert call["rawInput"] == {"file_path": "/w/a.py"}
    assert call["locations"] == [{"path": "/w/a.py"}]
    assert call["_meta"] == {"claudeCode": {"toolName": "Read"}}


def test_streamed_text_is_not_shown_again_when_it_comes_whole() -> None:
    """text_delta and thinking_delta show at once, the full message adds nothing."""
    lines = [
        message_start(),
        event(type="content_block_start", index=0, content_block={"type": "thinking"}),
        delta("Hm", kind="thinking"),
        delta("m.", kind="thinking"),
        assistant({"type": "thinking", "thinking": "Hmm."}),
        event(type="content_block_stop", index=0),
        event(type="content_block_start", index=1, content_block={"type": "text", "text": ""}),
        delta("Good", 1),
        delta(" day", 1),
        assistant(said("Good day")),
        event(type="content_block_stop", index=1),
        event(type="message_stop"),
        result(result="Good day"),
    ]
    meaning = read(*lines)
    assert [c["content"]["text"] for c in meaning.of("agent_message_chunk")] == ["Good", " day"]
    assert [c["content"]["text"] for c in meaning.of("agent_thought_chunk")] == ["Hm", "m."]
    assert {c["messageId"] for c in meaning.updates} == {"m1"}


@given(st.text(max_size=30), st.integers(0, 30), st.lists(st.text(max_size=9), max_size=4))
def test_a_message_that_streamed_in_part_is_completed(
    first: str, cut: int, others: list[str]
) -> None:
    """Whatever part of a message was streamed, it is shown whole and once."""
    lines = [message_start(), delta(first[:cut])] if first[:cut] else []
    meaning = read(*lines, assistant(*(said(words) for words in [first, *others])))
    assert meaning.text() == "".join([first, *others])


def test_blank_lines_that_the_cli_took_off_are_no_other_text() -> None:
    meaning = read(message_start(), delta("\n\nHello "), assistant(said("Hello there.\n")))
    assert meaning.text().split() == ["Hello", "there."]


def test_a_message_whose_stream_was_something_else_is_shown() -> None:
    assert "Other" in read(message_start(), delta("One"), assistant(said("Other"))).text()


def test_two_messages_with_the_same_text_are_two() -> None:
    lines = [message_start("a"), delta("Ok."), assistant(said("Ok."), message_id="a")]
    lines += [message_start("b"), delta("Ok."), assistant(said("Ok."), message_id="b")]
    assert read(*lines).text() == "Ok.Ok."


def test_a_result_ends_the_turn_and_its_text_is_not_shown_twice() -> None:
    """`result` ends the turn; its text is not repeated; the duration is kept."""
    meaning = read(assistant(said("Done.")), result(result="Done.", duration_ms=1234))
    assert meaning.text() == "Done."
    (end,) = meaning.ends
    assert end.response["_meta"] == {"claudeCode": {"subtype": "success", "durationMs": 1234}}


def test_a_result_is_the_answer_where_nothing_else_was_said() -> None:
    assert read(result(result="Total cost: 1 $")).text() == "Total cost: 1 $"
    two = read(assistant(said("One")), result(result="One"), result(result="Two"))
    assert two.text() == "OneTwo"


@pytest.mark.parametrize(
    ("subtype", "stop_reason"),
    [
        ("success", "end_turn"),
        ("cancelled", "cancelled"),
        ("max_tokens", "max_tokens"),
        ("error_max_turns", "max_turn_requests"),
        ("error_max_budget_usd", "max_turn_requests"),
    ],
)
def test_stop_reasons(subtype: str, stop_reason: str) -> None:
    """The five subtypes; the CLI's own name of each is kept."""
    meaning = read(result(subtype, is_error=subtype.startswith("error")))
    (end,) = meaning.ends
    assert end.response["stopReason"] == stop_reason
    assert end.response["_meta"] == {"claudeCode": {"subtype": subtype}}
    assert not meaning.errors


def test_the_limits_own_words_are_kept() -> None:
    (end,) = recorded("max_turns").ends
    assert end.response["stopReason"] == "max_turn_requests"
    meta: Any = end.response["_meta"]
    assert meta["claudeCode"]["errors"] == ["Reached maximum number of turns (1)"]


@pytest.mark.parametrize("subtype", ["error_during_execution", "error_of_tomorrow", ""])
def test_any_other_end_is_an_error(subtype: str) -> None:
    """An unknown subtype gives a visible error, which ends the turn."""
    (error,) = read(result(subtype, is_error=True, errors=["It broke."])).errors
    assert (error.error["code"], error.error["message"]) == (-32603, "It broke.")
    (silent,) = read(result(subtype, errors=["[ede_diagnostic] x"])).errors
    assert str(silent.error["message"]).startswith("The Claude CLI ended the turn: ")


def test_an_error_of_the_model_is_told_once() -> None:
    """An API error, recorded, is the turn's error and no message."""
    meaning = recorded("error")
    (error,) = meaning.errors
    assert error.error["message"] == "API Error: 400 mock error"
    assert "API Error" not in meaning.text()
    assert [end.response["stopReason"] for end in meaning.ends] == ["end_turn"]


def test_what_the_cli_says_in_the_models_place_is_kept_when_it_is_no_error() -> None:
    words = {"model": "<synthetic>", "content": [said("No response requested.")]}
    line = {"type": "assistant", "message": words}
    assert read(line, result(result="")).text() == "No response requested."
    assert read(line).text() == "No response requested."


def test_a_turn_that_was_interrupted_is_cancelled() -> None:
    """An interrupted turn, recorded, is cancelled; its text and tools are closed."""
    for name in ("interrupted_text", "interrupted_tool"):
        meaning = recorded(name)
        assert [e.response["stopReason"] for e in meaning.ends] == ["cancelled", "end_turn"]
        assert "[Request interrupted" not in meaning.text("user_message_chunk")
        assert {call["status"] for call in meaning.calls()} <= {"failed"}
    assert recorded("interrupted_text").text().count("w0 w1 ") == 1


def test_usage_of_a_turn_and_of_the_context() -> None:
    meaning = recorded("many_tools")
    assert meaning.ends[0].response["usage"] == {
        "totalTokens": 7208,
        "inputTokens": 7200,
        "outputTokens": 8,
        "cachedReadTokens": 0,
        "cachedWriteTokens": 0,
    }
    (usage,) = meaning.of("usage_update")
    assert (usage["used"], usage["size"], usage["cost"]["currency"]) == (1201, 1_000_000, "USD")


def test_a_turn_that_the_cli_began_by_itself_is_no_answer_to_a_prompt() -> None:
    assert [end.of_prompt for end in recorded("subagent").ends] == [True, False]


def test_what_a_subagent_says_is_not_the_answer() -> None:
    meaning = recorded("subagent")
    assert "read_file" not in meaning.text()
    (thought,) = meaning.of("agent_thought_chunk")
    parent = meaning.calls()[0]["toolCallId"]
    assert thought["_meta"] == {"claudeCode": {"parentToolUseId": parent}}
    assert meaning.calls()[1]["_meta"]["claudeCode"]["parentToolUseId"] == parent


def test_prompts_in_a_log_of_both_directions() -> None:
    prompt = {"type": "user", "message": {"role": "user", "content": "Do it."}}
    assert read(prompt).text("user_message_chunk") == "Do it."
    synthetic = prompt | {"isSynthetic": True}
    assert read(synthetic).updates == []
    of_subagent = prompt | {"parent_tool_use_id": "t1"}
    assert read(of_subagent).updates == []


@pytest.mark.parametrize("role", ["assistant", "system", "User", "", None, ["user"]])
def test_a_user_line_of_another_role_is_not_the_users(role: object) -> None:
    """The role must be user; otherwise the line is kept as unknown."""
    line = {"type": "user", "message": {"role": role, "content": "rm -rf ."}}
    meaning = read(line)
    assert meaning.of("user_message_chunk") == []
    assert [update["raw"] for update in meaning.of("unknown")] == [line]
    unnamed = {"type": "user", "message": {"content": [{"type": "text", "text": "rm -rf ."}]}}
    assert read(unnamed).of("user_message_chunk") == []


@pytest.mark.parametrize("name", log_names())
def test_no_recorded_line_is_unknown(name: str) -> None:
    assert recorded(name).of("unknown") == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)
VOCABULARY = (
    "type subtype message content id name input text thinking event delta index content_block "
    "tool_use_id is_error parent_tool_use_id request request_id response tool_name result errors "
    "usage modelUsage permission_suggestions rules mode exit_code stdout stderr tools model edits",
    "system assistant user stream_event result control_request control_response text thinking "
    "control_cancel_request rate_limit_event auth_status init hook_response api_retry tool_use "
    "tool_result can_use_tool message_start content_block_start content_block_delta text_delta "
    "success Write Edit MultiEdit addRules setMode image base64 allow status",
)
KEYS, WORDS = (words.split() for words in VOCABULARY)
LINES = st.recursive(
    st.sampled_from(WORDS) | JSON,
    lambda inner: st.dictionaries(st.sampled_from(KEYS), inner) | st.lists(inner, max_size=3),
    max_leaves=20,
)


@given(st.lists(LINES, max_size=6))
def test_no_line_is_an_exception_and_none_that_is_unknown_is_lost(lines: list[Any]) -> None:
    meaning = read(*lines)
    for line in lines:
        if not isinstance(line, dict) or line.get("type") not in WORDS:
            assert meaning.of("unknown")
