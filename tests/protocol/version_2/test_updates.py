"""Updates and permission requests of version 2, one by one, as version 1 has them."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.protocol.version_2 import Version2
from acp_jupyter.protocol.version_2.meta_keys import (
    ASKED_WORDS,
    BACKGROUND,
    CAN_CANCEL,
    REPLACES,
    TERMINAL_ALONE,
)
from tests.protocol.version_2.test_setup import MODE, begun

Json = dict[str, Any]
TERMINAL = {"sessionUpdate": "terminal_update", "terminalId": "t"}


def message(update: Any, session_id: str = "s") -> Json:
    params = {"sessionId": session_id, "update": update}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params}


def told(conversation: Version2, **update: Any) -> list[Json]:
    found = [dict(each) for each in conversation.received(message(update))]
    for each in found:
        assert each == message(each["params"]["update"])
    return [each["params"]["update"] for each in found]


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def block(words: str) -> Json:
    return {"type": "content", "content": text(words)}


IMAGE: Json = {"type": "image", "data": "AA==", "mimeType": "image/png"}

# -- messages ------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["agent_message", "agent_thought"])
def test_the_first_chunk_of_a_whole_message_takes_the_place_of_its_text(kind: str) -> None:
    found = told(
        begun(),
        sessionUpdate=kind,
        messageId="m",
        _meta={"a": 1},
        content=[text("a"), text("b"), IMAGE, text("c")],
    )
    rest = {"sessionUpdate": f"{kind}_chunk", "messageId": "m"}
    assert found == [
        {**rest, "content": text("ab"), "_meta": {"a": 1, REPLACES: True}},
        {**rest, "content": IMAGE, "_meta": {"a": 1}},
        {**rest, "content": text("c"), "_meta": {"a": 1}},
    ]


def test_a_message_of_the_user_replaces_nothing() -> None:
    found = told(begun(), sessionUpdate="user_message", messageId="m", content=[text("a"), IMAGE])
    kind = {"sessionUpdate": "user_message_chunk", "messageId": "m"}
    assert found == [{**kind, "content": text("a")}, {**kind, "content": IMAGE}]


def test_a_message_without_content_says_nothing_and_an_empty_one_takes_the_text_away() -> None:
    assert told(begun(), sessionUpdate="agent_message", messageId="m") == []
    assert told(begun(), sessionUpdate="user_message", content=[]) == []
    (found,) = told(begun(), sessionUpdate="agent_message", content=[])
    assert (found["content"], found["_meta"]) == (text(""), {REPLACES: True})


def test_texts_with_more_than_words_are_not_joined() -> None:
    marked = {**text("b"), "annotations": {"audience": ["user"]}}
    found = told(begun(), sessionUpdate="user_message", content=[text("a"), marked, text("c")])
    assert [each["content"] for each in found] == [text("a"), marked, text("c")]


@pytest.mark.parametrize(
    "update", [{"sessionUpdate": "plan", "entries": []}, {"sessionUpdate": ["x"]}, {}, None, "x"]
)
def test_what_version_1_has_as_well_is_left_alone(update: Any) -> None:
    given = message(update)
    (found,) = begun().received(given)
    assert found is given


# -- tool calls ----------------------------------------------------------------


def test_pieces_are_told_as_the_whole() -> None:
    conversation = begun()
    told(conversation, sessionUpdate="tool_call_update", toolCallId="c", content=[block("a")])
    piece = {"sessionUpdate": "tool_call_content_chunk", "toolCallId": "c", "_meta": {"a": 1}}
    (found,) = told(conversation, **piece, content=block("b"))
    assert found == {
        "sessionUpdate": "tool_call_update",
        "toolCallId": "c",
        "_meta": {"a": 1},
        "content": [block("ab")],
    }
    other: Json = {"type": "content", "content": IMAGE}
    (found,) = told(conversation, **piece, content=other)
    assert found["content"] == [block("ab"), other]
    (found,) = told(conversation, **piece, content=block("c"))
    assert found["content"] == [block("ab"), other, block("c")]


def test_a_piece_of_no_call_says_nothing() -> None:
    assert told(begun(), sessionUpdate="tool_call_content_chunk", content=block("b")) == []


def test_a_diff_is_told_as_texts_and_places() -> None:
    patch = "--- a/x\n+++ b/x\n@@ -7 +7 @@\n-old\n+new\n"
    diff = {
        "type": "diff",
        "changes": [{"operation": "modify", "path": "/w/x"}],
        "patch": {"format": "git_patch", "text": patch},
    }
    (found,) = told(
        begun(),
        sessionUpdate="tool_call_update",
        toolCallId="c",
        content=[block("a"), diff],
        locations=[{"path": "/w/x", "line": 1}, {"path": "/w/y"}],
    )
    assert found["content"] == [
        block("a"),
        {"type": "diff", "path": "/w/x", "oldText": "old", "newText": "new"},
    ]
    assert found["locations"] == [{"path": "/w/x", "line": 7}, {"path": "/w/y"}]


def test_a_diff_without_places_leaves_those_of_the_call() -> None:
    diff = {"type": "diff", "changes": [{"operation": "delete", "path": "/w/x"}]}
    (found,) = told(
        begun(),
        sessionUpdate="tool_call_update",
        toolCallId="c",
        content=[diff],
        locations=[{"path": "/w/y"}],
    )
    assert found["content"] == [block("Deleted: /w/x")]
    assert found["locations"] == [{"path": "/w/y"}]
    (found,) = told(begun(), sessionUpdate="tool_call_update", toolCallId="c", content=[diff])
    assert "locations" not in found
    other = {"type": "content", "changes": [], "content": text("a")}
    (found,) = told(begun(), sessionUpdate="tool_call_update", toolCallId="c", content=[other])
    assert found["content"] == [other]


@pytest.mark.parametrize(
    ("capabilities", "can"), [({"cancel": {}}, True), ({"cancel": None}, False), ({}, False)]
)
def test_whether_a_call_or_a_terminal_can_be_cancelled(capabilities: Json, can: bool) -> None:
    call = {"sessionUpdate": "tool_call_update", "toolCallId": "c", "_meta": {"a": 1}}
    (found,) = told(begun(), **call, capabilities=capabilities)
    assert found == {**call, "_meta": {"a": 1, CAN_CANCEL: can}}
    (found,) = told(begun(), **TERMINAL, capabilities=capabilities)
    assert found["_meta"][CAN_CANCEL] is can


# -- terminals -----------------------------------------------------------------


def of_terminal(**meta: Any) -> Json:
    kind = {"sessionUpdate": "tool_call_update", "toolCallId": "t"}
    return {**kind, "_meta": {**meta, TERMINAL_ALONE: True}}


@pytest.mark.parametrize(
    ("update", "meta"),
    [
        ({}, {"terminal_info": {}}),
        (
            {"command": "ls", "cwd": "/w", "output": {"data": "YQ=="}, "_meta": {"a": 1}},
            {
                "a": 1,
                "terminal_info": {"command": "ls", "cwd": "/w"},
                "terminal_output": {"base64": "YQ=="},
            },
        ),
        (
            {"command": "", "cwd": 5, "output": None},
            {"terminal_info": {}, "terminal_output": {"base64": ""}},
        ),
        (
            {"exitStatus": {"exitCode": 3, "signal": None}},
            {"terminal_info": {}, "terminal_exit": {"exit_code": 3, "signal": None}},
        ),
        (
            {"exitStatus": {"signal": "SIGTERM"}},
            {"terminal_info": {}, "terminal_exit": {"exit_code": None, "signal": "SIGTERM"}},
        ),
        ({"exitStatus": None}, {"terminal_info": {}}),
    ],
)
def test_a_terminal(update: Json, meta: Json) -> None:
    named = {
        key: {"terminal_id": "t", **value} if key.startswith("terminal") else value
        for key, value in meta.items()
    }
    assert told(begun(), **TERMINAL, **update) == [of_terminal(**named)]


def test_a_piece_of_a_terminals_output() -> None:
    update = {"sessionUpdate": "terminal_output_chunk", "terminalId": "t", "data": "YQ=="}
    delta = {"terminal_id": "t", "base64": "YQ=="}
    assert told(begun(), **update) == [of_terminal(terminal_output_delta=delta)]


# -- states and options --------------------------------------------------------


def test_what_goes_on_beside_the_turns_is_listed() -> None:
    listed = [{"type": "command", "id": number} for number in range(201)]
    (found,) = told(begun(), sessionUpdate="state_update", state="running", background=listed)
    assert found == {"sessionUpdate": "session_info_update", "_meta": {BACKGROUND: listed[:200]}}


@pytest.mark.parametrize("listed", [None, {}, [{"id": 1}], [{"type": ""}], ["x"]])
def test_a_malformed_list_counts_as_none(listed: Any) -> None:
    assert told(begun(), sessionUpdate="state_update", state="idle", background=listed) == []


def test_options_tell_the_mode_too() -> None:
    found = told(begun(), sessionUpdate="config_option_update", configOptions=[MODE])
    assert [each["sessionUpdate"] for each in found] == [
        "config_option_update",
        "current_mode_update",
    ]
    assert found[0]["configOptions"][0]["id"] == "how"
    assert found[1] == {"sessionUpdate": "current_mode_update", "currentModeId": "ask"}


@pytest.mark.parametrize("options", [[{"configId": "a"}], [{**MODE, "category": "model"}], []])
def test_options_without_a_mode(options: list[Json]) -> None:
    (found,) = told(begun(), sessionUpdate="config_option_update", configOptions=options)
    assert found["sessionUpdate"] == "config_option_update"


def test_options_of_version_1_tell_no_mode() -> None:
    old = {key: value for key, value in MODE.items() if key != "configId"} | {"id": "how"}
    (found,) = told(begun(), sessionUpdate="config_option_update", configOptions=[old])
    assert found["configOptions"][0]["id"] == "how"
    given = {"sessionUpdate": "config_option_update", "configOptions": 5}
    assert told(begun(), **given) == [given]


# -- permission requests -------------------------------------------------------


def asked(conversation: Version2 | None = None, **params: Any) -> Json:
    given = {
        "jsonrpc": "2.0",
        "id": 9,
        "method": "session/request_permission",
        "params": {"sessionId": "s", "options": [], **params},
    }
    (found,) = (conversation or begun()).received(given)
    assert {**found, "params": None} == {**given, "params": None}
    assert (found is given) is (found == given)
    rest: Json = dict(found["params"])
    assert (rest.pop("sessionId"), rest.pop("options")) == ("s", [])
    return rest


@pytest.mark.parametrize("params", [{"toolCall": {"toolCallId": "c"}, "title": "T"}, {}])
def test_a_request_of_version_1_is_left_alone(params: Json) -> None:
    assert asked(**params) == params


def test_the_words_of_a_request_are_the_title_of_a_call_without_one() -> None:
    call = {"toolCallId": "c", "kind": "edit"}
    subject = {"type": "tool_call", "toolCall": call}
    assert asked(title="May I?", subject=subject) == {"toolCall": {**call, "title": "May I?"}}
    assert asked(title="May I?", description="It is safe.", subject=subject, _meta={"a": 1}) == {
        "toolCall": {**call, "title": "May I?"},
        "_meta": {"a": 1, ASKED_WORDS: "It is safe."},
    }
    titled = {**call, "title": "Edit x"}
    assert asked(title="May I?", description="Safe.", subject={"toolCall": titled}) == {
        "toolCall": titled,
        "_meta": {ASKED_WORDS: "May I?\nSafe."},
    }


def test_the_words_of_a_request_about_a_known_call_are_not_its_title() -> None:
    conversation = begun()
    told(conversation, sessionUpdate="tool_call_update", toolCallId="c", title="Edit x")
    assert asked(conversation, title="May I?", subject={"toolCall": {"toolCallId": "c"}}) == {
        "toolCall": {"toolCallId": "c"},
        "_meta": {ASKED_WORDS: "May I?"},
    }


@pytest.mark.parametrize(
    ("named", "call_id"),
    [
        ({"toolCallId": "c", "terminalId": "t"}, "c"),
        ({"terminalId": "t"}, "t"),
        ({}, ""),
    ],
)
def test_a_request_about_a_command(named: Json, call_id: str) -> None:
    subject = {"type": "command", "command": "ls", "cwd": "/w", "more": 1, **named}
    assert asked(title="Run ls?", subject=subject) == {
        "toolCall": {
            "toolCallId": call_id,
            "kind": "execute",
            "rawInput": {"command": "ls", "cwd": "/w"},
            "title": "Run ls?",
        }
    }
    bare = asked(title="Run ls?", subject={"type": "command", "command": "ls"})
    assert bare["toolCall"]["rawInput"] == {"command": "ls"}


def test_a_request_with_a_title_alone() -> None:
    assert asked(title="May I?") == {"toolCall": {"title": "May I?"}}
    assert asked(subject={"type": "other"}) == {"toolCall": {"title": None}}
