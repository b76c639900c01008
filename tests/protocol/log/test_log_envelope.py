"""Who said a line of a log, and what is wrapped around it."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.protocol.log_envelope import (
    Envelope,
    OpenRequests,
    Side,
    open_envelope,
    read_mark,
    side_of_call,
)

CLIENTS = (
    "initialize",
    "authenticate",
    "logout",
    "session/new",
    "session/load",
    "session/list",
    "session/resume",
    "session/fork",
    "session/close",
    "session/delete",
    "session/prompt",
    "session/cancel",
    "session/set_mode",
    "session/set_model",
    "session/set_config_option",
    "auth/login",
    "auth/logout",
    "tool_call/cancel",
    "terminal/cancel",
)
AGENTS = (
    "session/update",
    "session/notification",
    "acp/notification/session_update",
    "session_update",
    "session/request_permission",
    "request_permission",
    "session_request_permission",
    "fs/read_text_file",
    "fs/write_text_file",
    "terminal/create",
    "terminal/output",
    "terminal/wait_for_exit",
    "terminal/kill",
    "terminal/release",
    "elicitation/create",
    "elicitation/complete",
)


@pytest.mark.parametrize("method", CLIENTS)
def test_what_a_client_calls(method: str) -> None:
    assert side_of_call({"method": method}) == ">"


@pytest.mark.parametrize("method", AGENTS)
def test_what_an_agent_calls(method: str) -> None:
    assert side_of_call({"method": method}) == "<"


@pytest.mark.parametrize(
    ("asker", "method", "key"),
    [
        (">", "initialize", "protocolVersion"),
        (">", "session/new", "sessionId"),
        (">", "session/prompt", "stopReason"),
        ("<", "session/request_permission", "outcome"),
        ("<", "fs/read_text_file", "content"),
        ("<", "terminal/create", "terminalId"),
        ("<", "terminal/output", "output"),
        ("<", "terminal/wait_for_exit", "exitCode"),
        ("<", "elicitation/create", "action"),
    ],
)
def test_a_response_that_either_may_give_is_told_by_its_result(
    asker: Side, method: str, key: str
) -> None:
    other: Side = "<" if asker == ">" else ">"
    requests = OpenRequests()
    requests.add(asker, {"id": 1, "method": method}, 1)
    requests.add(other, {"id": 1, "method": "_other"}, 2)
    assert requests.likelier({"id": 1, "result": {key: "x"}}) == other
    assert requests.likelier({"id": 1, "result": {}}) == asker, "the newest is answered first"


@pytest.mark.parametrize(("digits", "found"), [(18, True), (19, False)])
def test_an_id_that_comes_back_as_text(digits: int, found: bool) -> None:
    requests = OpenRequests()
    requests.add(">", {"id": 10 ** (digits - 1), "method": "session/prompt"}, 1)
    answered = requests.answered("<", {"id": str(10 ** (digits - 1)), "result": {}})
    assert (answered is not None) is found


def test_a_word_names_the_sender_unless_it_is_said_to_name_the_receiver() -> None:
    assert read_mark("agent") == "<"
    assert read_mark("agent", names_receiver=True) == ">"


def test_nothing_is_made_up_where_a_line_has_no_message() -> None:
    assert open_envelope({"a": 1}) == Envelope(None, None, None, "", "")


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_message_that_is_marked_as_a_note_has_no_direction(wrapped: bool) -> None:
    message = {"jsonrpc": "2.0", "method": "_x"}
    source: dict[str, Any] = {"message": message} if wrapped else message
    opened = open_envelope({"type": "stderr", **source})
    assert opened.message is not None
    assert opened.message["method"] == "_x"
    assert opened.mark is None
    assert opened.text == ""


def test_the_marks_beside_a_result_are_no_part_of_it() -> None:
    assert open_envelope({"d": "in", "id": 1, "result": {"a": 1}}).message == {
        "id": 1,
        "result": {"a": 1},
    }


@pytest.mark.parametrize("name", ["_type", "type", "kind", "envelope"])
def test_a_response_that_has_its_result_as_parameters(name: str) -> None:
    line = {"d": "in", name: "Response", "id": 1, "method": "m", "params": {"a": 1}}
    assert open_envelope(line).message == {"id": 1, "result": {"a": 1}}
    whole = {**line, "result": {"b": 1}}
    assert open_envelope(whole).message == {
        "id": 1,
        "method": "m",
        "params": {"a": 1},
        "result": {"b": 1},
    }
