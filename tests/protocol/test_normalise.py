from __future__ import annotations

import json
from typing import Any

import pytest
from acp.schema import RequestPermissionRequest, SessionNotification
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from acp_jupyter.protocol.normalise import RAW_OPTION_KIND, UNRECOGNISED, normalise

Json = dict[str, Any]

NAMES = (
    "sessionUpdate session_update tool_call tool_call_update plan usage_update content text type "
    "agent_message_chunk update params method session/update session/request_permission id result "
    "error jsonrpc toolCallId tool_call_id toolCall options kind status locations entries used "
    "size fs/read_text_file _meta sessionId rawInput raw_input title availableCommands name path "
    "configOptions allowOnce optionId line mediaType running CANCELED -12 \ud83d"
)
WORDS = st.sampled_from(NAMES.split())
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | WORDS | st.text(max_size=5)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=6),
    max_leaves=25,
)
UPDATES = st.fixed_dictionaries(
    {
        "method": st.sampled_from(
            ["session/update", "session/notification", "session/request_permission", "other"]
        ),
        "params": st.fixed_dictionaries(
            {
                "sessionId": LEAVES,
                "update": st.dictionaries(WORDS, VALUES, max_size=4).flatmap(
                    lambda update: st.builds(
                        lambda kind: {**update, "sessionUpdate": kind}, WORDS | VALUES
                    )
                ),
                "toolCall": VALUES,
                "options": VALUES,
            }
        ),
    }
)


@settings(max_examples=500, suppress_health_check=[HealthCheck.too_slow])
@given(VALUES | UPDATES)
@example(
    {
        "method": "session/request_permission",
        "params": {"options": {"_meta": {"session_update": None}}},
    }
)
@example(
    {
        "method": "session/request_permission",
        "params": {"options": {"rawInput": {"session_update": None}}},
    }
)
@example({"method": None, "id": 0, "result": None})
def test_it_is_total_idempotent_and_writes_json(message: object) -> None:
    normal = normalise(message)
    for part in normal:
        json.dumps(part, ensure_ascii=False, allow_nan=False).encode()
        assert normalise(part) == [part]
        assert part["jsonrpc"] == "2.0"
        assert isinstance(part.get("method", ""), str)
    if isinstance(message, dict):
        assert normal


def update(**fields: Any) -> Json:
    return {"method": "session/update", "params": {"sessionId": "s", "update": fields}}


def normal_update(**fields: Any) -> Any:
    (message,) = normalise(update(**fields))
    return message["params"]["update"]


def test_a_well_formed_message_is_left_alone() -> None:
    message = {"jsonrpc": "2.0", **update(sessionUpdate="tool_call", toolCallId="1", title="T")}
    assert normalise(message) == [message]


@pytest.mark.parametrize(
    "method", ["session/notification", "acp/notification/session_update", "session_update"]
)
def test_other_names_of_session_update(method: str) -> None:
    message = {**update(sessionUpdate="plan", entries=[]), "method": method}
    assert [part["method"] for part in normalise(message)] == ["session/update"]


@pytest.mark.parametrize("method", ["cursor/ask_question", "auth/status", "mcp/connect"])
def test_methods_that_are_not_acps_become_extensions(method: str) -> None:
    (message,) = normalise({"id": 1, "method": method, "params": {"a_b": 1}})
    assert message["method"] == f"_{method}"
    assert message["params"] == {"a_b": 1}


def test_a_message_of_mcp_stays_as_it_is() -> None:
    params = {"connection_id": 1, "message": {"a_b": 1}}
    (message,) = normalise({"id": 1, "method": "mcp/message", "params": params})
    assert message["method"] == "mcp/message"
    assert message["params"] == params


@pytest.mark.parametrize(("sent", "read"), [(7, "7"), (None, ""), ("s", "s")])
def test_the_id_of_a_session_is_a_text(sent: object, read: str) -> None:
    message = {**update(sessionUpdate="plan", entries=[])}
    message["params"]["sessionId"] = sent
    assert [part["params"]["sessionId"] for part in normalise(message)] == [read]


def test_an_id_alone_is_an_answer() -> None:
    (message,) = normalise({"jsonrpc": "2.0", "id": 3})
    assert message == {"jsonrpc": "2.0", "id": 3, "result": None}


def test_what_should_be_a_text_is_shown_as_json() -> None:
    shown = normal_update(sessionUpdate="plan", entries=[{"content": {"Größe": 1}}])
    assert shown["entries"][0]["content"] == '{"Größe": 1}'


def test_batches_are_split_and_other_values_dropped() -> None:
    one = {"jsonrpc": "2.0", "method": "_x", "params": {}}
    assert normalise([one, [one], 5, "text", None]) == [one, one]
    assert normalise(None) == []


@pytest.mark.parametrize(
    ("request_id", "normal"), [("2", 2), (2.0, 2), ("-7", -7), ("a-2", "a-2"), (3, 3)]
)
def test_ids_of_answers_are_coerced(request_id: object, normal: object) -> None:
    (message,) = normalise({"id": request_id, "result": {}})
    assert message["id"] == normal
    assert isinstance(message["id"], type(normal))


@pytest.mark.parametrize("request_id", [[1], {"x": 1}, None, 1.5, True])
def test_answers_to_nobody_become_generic(request_id: object) -> None:
    (message,) = normalise({"id": request_id, "result": {}})
    assert message["method"] == UNRECOGNISED


@pytest.mark.parametrize(
    ("error", "normal"),
    [
        ("oops", {"code": -32603, "message": "oops"}),
        ({"code": "-32000", "message": "log in"}, {"code": -32000, "message": "log in"}),
        ({"message": {"deep": 1}}, {"code": -32603, "message": '{"deep": 1}'}),
        (7, {"code": -32603, "message": "7"}),
    ],
)
def test_errors_of_any_shape(error: object, normal: Json) -> None:
    (message,) = normalise({"id": 1, "error": error, "result": None})
    assert message == {"jsonrpc": "2.0", "id": 1, "error": normal}


def test_an_error_of_null_is_a_result() -> None:
    assert normalise({"id": 1, "error": None, "result": 5})[0]["result"] == 5
    assert normalise({"id": 1})[0]["result"] is None


def test_snake_case_is_respelled_outside_the_agents_own_data() -> None:
    shaped = normal_update(
        session_update="tool_call", tool_call_id="1", title="T", raw_input={"raw_input": {"a_b": 1}}
    )
    assert shaped["toolCallId"] == "1"
    assert shaped["rawInput"] == {"raw_input": {"a_b": 1}}


def test_message_content_of_any_shape_becomes_blocks() -> None:
    text = {"type": "text", "text": "a"}
    kind = "agent_message_chunk"
    assert normal_update(sessionUpdate=kind, content="a")["content"] == text
    assert normal_update(sessionUpdate=kind, text="a")["content"] == text
    assert normal_update(sessionUpdate=kind, content={"text": "a"})["content"] == text
    parts = normalise(update(sessionUpdate=kind, content=["a", [text]], messageId=4))
    assert [part["params"]["update"]["content"] for part in parts] == [text, text]
    assert parts[1]["params"]["update"]["messageId"] == "4"
    image = normal_update(sessionUpdate=kind, content={"type": "image", "mediaType": "image/png"})
    assert image["content"]["mimeType"] == "image/png"


@pytest.mark.parametrize(
    "message",
    [
        {"content": "hello", "type": "text"},
        {"type": "text", "text": "hello"},
        {"sessionUpdate": "agent_message_chunk", "content": "hello"},
        {"update": {"sessionUpdate": "agent_message_chunk", "content": "hello"}},
    ],
)
def test_bare_objects_are_updates(message: Json) -> None:
    (normal,) = normalise(message)
    assert normal["method"] == "session/update"
    assert normal["params"]["sessionId"] == ""
    assert normal["params"]["update"]["content"] == {"type": "text", "text": "hello"}


def test_what_is_not_understood_is_kept() -> None:
    assert normalise({"a": 1})[0]["params"] == {"message": {"a": 1}}
    assert normal_update(sessionUpdate="new_kind", x=1) == {"sessionUpdate": "new_kind", "x": 1}
    assert normalise({"method": "session/update"})[0]["params"]["update"] == {
        "sessionUpdate": "unknown"
    }


def test_tool_calls() -> None:
    call = normal_update(
        sessionUpdate="tool_call",
        toolCallId=7,
        kind="execute",
        status="running",
        content=[{"type": "text", "text": "a"}, "b", {"type": "diff", "path": "p"}],
        locations=["/x", {"path": "/y", "line": 3.0}, {"line": 3}, None],
    )
    assert call["toolCallId"] == "7"
    assert call["title"] == "execute"
    assert call["status"] == "in_progress"
    assert call["locations"] == [{"path": "/x"}, {"path": "/y", "line": 3}]
    assert call["content"] == [
        {"type": "content", "content": {"type": "text", "text": "a"}},
        {"type": "content", "content": {"type": "text", "text": "b"}},
        {"type": "diff", "path": "p"},
    ]


def test_an_update_of_a_tool_call_gains_no_fields() -> None:
    fields = {"sessionUpdate": "tool_call_update", "toolCallId": "1", "content": None}
    assert normal_update(**fields) == fields


@pytest.mark.parametrize(
    ("status", "normal"),
    [
        ("Running", "in_progress"),
        ("inProgress", "in_progress"),
        ("in-progress", "in_progress"),
        ("DONE", "completed"),
        ("canceled", "cancelled"),
        ("error", "failed"),
        ("waiting", "waiting"),
    ],
)
def test_statuses(status: str, normal: str) -> None:
    call = normal_update(sessionUpdate="tool_call_update", toolCallId="1", status=status)
    assert call["status"] == normal


def test_plans() -> None:
    entries = [
        {"content": "a", "status": "doing", "priority": 1},
        "b",
        {"title": "c", "status": "done"},
        {"description": "d", "priority": 3},
    ]
    plan = normal_update(sessionUpdate="plan", entries=entries)["entries"]
    assert [entry["content"] for entry in plan] == ["a", "b", "c", "d"]
    assert [entry["status"] for entry in plan] == ["pending", "pending", "completed", "pending"]
    assert [entry["priority"] for entry in plan] == ["high", "medium", "medium", "low"]
    assert normal_update(sessionUpdate="plan", entries=None)["entries"] == []


def test_usage() -> None:
    usage = normal_update(sessionUpdate="usage_update", used=None, size=9.9, cost={"amount": 1.5})
    assert usage == {"sessionUpdate": "usage_update", "size": 9, "cost": {"amount": 1.5}}
    assert normal_update(sessionUpdate="usage_update", used=-5.0, size="10")["used"] == 0


def test_commands_options_and_modes() -> None:
    commands = normal_update(
        sessionUpdate="available_commands_update", availableCommands=["/a", {"name": "b"}, 5]
    )
    assert commands["availableCommands"] == [
        {"name": "a", "description": ""},
        {"name": "b", "description": ""},
    ]
    config = normal_update(sessionUpdate="config_option_update", configOptions=[{"id": "x"}, 3])
    assert config["configOptions"] == [{"id": "x"}]
    assert normal_update(sessionUpdate="current_mode_update", modeId=3)["currentModeId"] == "3"


def permission(**params: Any) -> Json:
    message = {"id": 1, "method": "session/request_permission", "params": params}
    (normal,) = normalise(message)
    return dict(normal["params"])


def test_an_option_of_unknown_kind_never_counts_as_permission() -> None:
    options = [
        {"optionId": "a", "name": "A", "kind": "approve"},
        {"optionId": "b", "name": "B"},
        "C",
        {"id": 4, "label": "D", "kind": "allowOnce"},
    ]
    shaped = permission(sessionId="s", toolCall={"toolCallId": "1"}, options=options)["options"]
    assert [option["kind"] for option in shaped] == ["reject_once"] * 3 + ["allow_once"]
    assert shaped[0]["_meta"][RAW_OPTION_KIND] == "approve"
    assert [option["name"] for option in shaped] == ["A", "B", "C", "D"]
    assert shaped[3]["optionId"] == "4"


@pytest.mark.parametrize(
    ("kind", "normal"),
    [
        ("allowOnce", "allow_once"),
        ("AllowAlways", "allow_always"),
        ("reject-once", "reject_once"),
        ("Reject-Always", "reject_once"),
        ("~allow_once", "reject_once"),
        ("allow once", "reject_once"),
    ],
)
def test_the_kind_of_an_option_in_other_spellings(kind: str, normal: str) -> None:
    options = [{"optionId": "a", "name": "A", "kind": kind}]
    (shaped,) = permission(sessionId="s", toolCall={"toolCallId": "1"}, options=options)["options"]
    assert shaped["kind"] == normal


@pytest.mark.parametrize("call", [None, "Run ls", {}, {"title": "x"}, [1], {"kind": ["x"]}])
def test_every_permission_request_passes_the_sdk(call: object) -> None:
    for options in (None, [], ["x"], {"a": {"optionId": "a"}}, [{"kind": 5}]):
        params = permission(session_id="s", toolCall=call, options=options, _meta=None)
        RequestPermissionRequest.model_validate(params)


def test_a_missing_session_is_empty_and_file_windows_are_numbers() -> None:
    message = {"id": 1, "method": "fs/read_text_file", "params": {"path": "/x", "line": 2.0}}
    (normal,) = normalise({**message})
    assert normal["params"] == {"path": "/x", "line": 2, "sessionId": ""}


TEXT = {"type": "text", "text": "words"}
WELL_FORMED: list[Json] = [
    {"sessionUpdate": "user_message_chunk", "content": TEXT, "messageId": "m1"},
    {
        "sessionUpdate": "agent_message_chunk",
        "content": {"type": "image", "data": "", "mimeType": "image/png", "uri": None},
    },
    {"sessionUpdate": "agent_thought_chunk", "content": TEXT, "_meta": {"a_b": 1}},
    {
        "sessionUpdate": "tool_call",
        "toolCallId": "1",
        "title": "Edit",
        "kind": "edit",
        "status": "pending",
        "rawInput": {"file_path": "/x"},
        "content": [{"type": "diff", "path": "/x", "oldText": None, "newText": "y"}],
        "locations": [{"path": "/x", "line": None}, {"path": "/y", "line": 3}],
    },
    {
        "sessionUpdate": "tool_call_update",
        "toolCallId": "1",
        "content": [
            {"type": "content", "content": TEXT},
            {"type": "terminal", "terminalId": "t"},
        ],
    },
    {
        "sessionUpdate": "plan",
        "entries": [{"content": "a", "priority": "high", "status": "in_progress"}],
    },
    {"sessionUpdate": "usage_update", "used": 5, "size": 10, "cost": {"amount": 0.1}},
    {
        "sessionUpdate": "available_commands_update",
        "availableCommands": [{"name": "init", "description": "d", "input": {"hint": "h"}}],
    },
    {"sessionUpdate": "current_mode_update", "currentModeId": "plan"},
    {"sessionUpdate": "session_info_update", "title": None, "updatedAt": "now"},
    {"sessionUpdate": "notice", "severity": "info", "title": "t"},
]


@pytest.mark.parametrize("shaped", WELL_FORMED, ids=lambda shaped: str(shaped["sessionUpdate"]))
def test_what_is_well_formed_stays_as_it_is(shaped: Json) -> None:
    update = dict(shaped)
    if shaped.get("locations"):
        # A line of null says nothing; all else stays.
        update["locations"] = [{"path": "/x"}, {"path": "/y", "line": 3}]
    assert normal_update(**shaped) == update
    if shaped["sessionUpdate"] != "notice":
        SessionNotification.model_validate({"sessionId": "s", "update": update})


@pytest.mark.parametrize("wrong", [[], {}, [[]], 5, None, True, "text"], ids=str)
@pytest.mark.parametrize(
    "field", ["toolCallId", "title", "kind", "status", "content", "rawInput", "_meta", "messageId"]
)
@pytest.mark.parametrize("kind", ["tool_call_update", "agent_message_chunk"])
def test_one_wrong_field_in_a_plain_update_is_repaired(kind: str, field: str, wrong: Any) -> None:
    update: Json = {"sessionUpdate": kind, "toolCallId": "c", "status": "completed"}
    if kind == "agent_message_chunk":
        update = {"sessionUpdate": kind, "content": {"type": "text", "text": "t"}}
    params = {"sessionId": "s", "update": {**update, field: wrong}}
    for message in normalise({"jsonrpc": "2.0", "method": "session/update", "params": params}):
        assert message["params"]["update"]["sessionUpdate"] == kind
