"""The handshake, logins, sessions and options of version 2, field by field."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.protocol.version_2 import Version2
from acp_jupyter.protocol.version_2.setup import request_in_version_1

Json = dict[str, Any]


def begun(**capabilities: Any) -> Version2:
    """Return a conversation whose agent has answered in version 2."""
    conversation = Version2()
    result: Json = {"protocolVersion": 2, "info": {"name": "x"}, "capabilities": capabilities}
    conversation.received({"jsonrpc": "2.0", "id": 0, "result": result})
    assert conversation.spoken
    return conversation


def hello(**result: Any) -> Json:
    given = {"protocolVersion": 2, "info": {"name": "x"}, **result}
    (answer,) = Version2().received({"jsonrpc": "2.0", "id": 0, "result": given})
    told: Json = answer["result"]
    return told


def opened(**result: Any) -> list[Json]:
    return [dict(each) for each in begun().received({"jsonrpc": "2.0", "id": 3, "result": result})]


# -- initialize ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("result", "is_version_2"),
    [
        ({"protocolVersion": 2, "info": {}}, True),
        ({"protocolVersion": "2", "info": {}}, True),
        ({"protocolVersion": 2.0, "info": {}}, True),
        ({"protocolVersion": 1, "info": {}}, False),
        ({"protocolVersion": 2}, False),
        ({"protocolVersion": 2, "info": "x"}, False),
        ({"protocolVersion": 2, "info": {}, "agentCapabilities": {}}, False),
    ],
)
def test_only_an_answer_in_its_words_is_version_2(result: Json, is_version_2: bool) -> None:
    conversation = Version2()
    answer = {"jsonrpc": "2.0", "id": 0, "result": result}
    told = conversation.received(answer)
    assert conversation.spoken is is_version_2
    assert (told == [answer]) is not is_version_2


def test_the_answer_to_initialize() -> None:
    told = hello(
        capabilities={
            "auth": {"terminal": {}},
            "session": {
                "prompt": {"image": {}, "audio": None, "_meta": {}},
                "mcp": {"http": {}, "stdio": None},
                "delete": {},
                "resume": None,
            },
            "providers": {},
        },
        authMethods=[{"methodId": "key", "name": "Key"}, {"id": "old"}, "no method"],
        _meta={"a": 1},
    )
    assert told == {
        "_meta": {"a": 1},
        "protocolVersion": 1,
        "agentInfo": {"name": "x"},
        "agentCapabilities": {
            "providers": {},
            "auth": {"terminal": {}, "logout": {}},
            "loadSession": True,
            "promptCapabilities": {"image": True, "audio": False},
            "mcpCapabilities": {"http": True, "stdio": False},
            "sessionCapabilities": {"list": {}, "resume": None, "close": {}, "delete": {}},
        },
        "authMethods": [{"id": "key", "name": "Key"}, {"id": "old"}, {}],
    }


def test_an_agent_without_sessions_and_logins() -> None:
    told = hello(capabilities={"providers": {}})
    assert told["agentCapabilities"] == {"providers": {}, "auth": {}}
    assert told["authMethods"] == []
    bare = hello(capabilities={"session": {}})["agentCapabilities"]
    assert bare["sessionCapabilities"] == {"list": {}, "resume": {}, "close": {}}
    assert (bare["promptCapabilities"], bare["mcpCapabilities"]) == ({}, {})


# -- sessions ------------------------------------------------------------------

MODE: Json = {
    "configId": "how",
    "category": "mode",
    "currentValue": "ask",
    "options": [
        {"value": "ask", "name": "Ask", "description": "Asks", "more": 1},
        {"groupId": "g", "name": "Others", "options": [{"value": "do"}, {"name": "no value"}]},
    ],
}


def test_the_option_for_the_mode_is_told_as_modes() -> None:
    (told,) = opened(sessionId="s", configOptions=[{"configId": "model"}, MODE, {"id": "old"}, 5])
    assert told["result"] == {
        "sessionId": "s",
        "configOptions": [
            {"id": "model"},
            {
                "id": "how",
                "category": "mode",
                "currentValue": "ask",
                "options": [
                    {"value": "ask", "name": "Ask", "description": "Asks", "more": 1},
                    {
                        "group": "g",
                        "name": "Others",
                        "options": [{"value": "do"}, {"name": "no value"}],
                    },
                ],
            },
            {"id": "old"},
            5,
        ],
        "modes": {
            "currentModeId": "ask",
            "availableModes": [
                {"id": "ask", "name": "Ask", "description": "Asks"},
                {"id": "do"},
            ],
        },
    }


@pytest.mark.parametrize(
    "result",
    [
        {"configOptions": [{**MODE, "category": "model"}]},
        {"configOptions": [{**MODE, "currentValue": ""}]},
        {"configOptions": [{"id": "how", "category": "mode", "currentValue": "ask"}]},
    ],
)
def test_without_an_option_for_the_mode_there_are_no_modes(result: Json) -> None:
    (told,) = opened(**result)
    assert "modes" not in told["result"]


def test_modes_that_an_agent_tells_itself_stay() -> None:
    (told,) = opened(configOptions=[MODE], modes={"currentModeId": "own"})
    assert told["result"]["modes"] == {"currentModeId": "own"}


def test_commands_become_an_update_after_the_answer() -> None:
    answer, update = opened(sessionId="s", availableCommands=[{"name": "plan"}])
    assert answer == {"jsonrpc": "2.0", "id": 3, "result": {"sessionId": "s"}}
    assert update == {
        "jsonrpc": "2.0",
        "method": "session/update",
        "params": {
            "sessionId": "s",
            "update": {
                "sessionUpdate": "available_commands_update",
                "availableCommands": [{"name": "plan"}],
            },
        },
    }


@pytest.mark.parametrize(
    "result",
    [{}, {"configOptions": [{"id": "old"}]}, {"configOptions": 5}, {"availableCommands": 5}],
)
def test_an_answer_in_words_of_version_1_is_left_alone(result: Json) -> None:
    given = {"jsonrpc": "2.0", "id": 3, "result": result}
    (found,) = begun().received(given)
    assert found is given
    assert found["result"] == result


# -- requests of ours ----------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "params", "sent", "written"),
    [
        ("authenticate", {"methodId": "key"}, "auth/login", {"methodId": "key"}),
        ("logout", {}, "auth/logout", {}),
        (
            "session/load",
            {"sessionId": "s"},
            "session/resume",
            {"sessionId": "s", "replayFrom": {"type": "start"}},
        ),
        ("session/resume", {"sessionId": "s"}, "session/resume", {"sessionId": "s"}),
        (
            "session/set_mode",
            {"sessionId": "s", "modeId": "do"},
            "session/set_config_option",
            {"sessionId": "s", "configId": "mode", "value": "do", "type": "id"},
        ),
        (
            "session/set_config_option",
            {"configId": "a", "value": "b"},
            "session/set_config_option",
            {"configId": "a", "value": "b", "type": "id"},
        ),
        (
            "session/set_config_option",
            {"configId": "a", "value": True, "type": "boolean"},
            "session/set_config_option",
            {"configId": "a", "value": True, "type": "boolean"},
        ),
        ("session/prompt", {"prompt": []}, "session/prompt", {"prompt": []}),
    ],
)
def test_a_request_as_an_agent_of_version_2_takes_it(
    method: str, params: Json, sent: str, written: Json
) -> None:
    assert begun().written(method, params) == (sent, written)
    assert Version2().written(method, params) == (method, params)


def test_the_mode_is_chosen_by_the_option_that_the_agent_has_for_it() -> None:
    conversation = begun()
    conversation.received({"jsonrpc": "2.0", "id": 3, "result": {"configOptions": [MODE]}})
    conversation.received({"jsonrpc": "2.0", "id": 4, "result": {"configOptions": []}})
    _, params = conversation.written("session/set_mode", {"sessionId": "s", "modeId": "do"})
    assert params["configId"] == "how"


@pytest.mark.parametrize(
    ("mcp", "taken"),
    [
        ({"stdio": {}}, ["stdio", "http", "acp"]),
        ({"stdio": None}, ["http", "acp"]),
        ({}, ["http", "acp"]),
    ],
)
def test_only_servers_that_the_agent_takes_are_sent(mcp: Json, taken: list[str]) -> None:
    servers = [{"command": "x"}, {"type": "http", "url": "u"}, {"type": "acp"}]
    conversation = begun(session={"mcp": mcp})
    _, params = conversation.written("session/new", {"mcpServers": servers})
    assert [each["type"] for each in params["mcpServers"]] == taken
    if "stdio" in taken:
        assert params["mcpServers"][0] == {"type": "stdio", "command": "x"}


@pytest.mark.parametrize(
    ("message", "method"),
    [
        ({"method": "auth/login", "params": {}}, "authenticate"),
        ({"method": "auth/logout", "params": {}}, "logout"),
        ({"method": "session/resume", "params": {"replayFrom": {"type": "start"}}}, "session/load"),
        ({"method": "session/resume", "params": {}}, "session/resume"),
        ({"method": "session/new", "params": {"replayFrom": {"type": "start"}}}, "session/new"),
    ],
)
def test_a_request_of_ours_in_a_log(message: Json, method: str) -> None:
    assert request_in_version_1(message) == {**message, "method": method}
