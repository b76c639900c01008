"""A mode in which the agent asks less than everything is known, however the agent tells of it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.transcript.traffic import Script

MODES = ("default", "acceptEdits", "plan", "auto", "bypassPermissions")


def opened(result: dict[str, Any]) -> Script:
    script = Script()
    asked = script.line(">", {"id": 7, "method": "session/new", "params": {}})
    script.line("<", {"id": 7, "result": {"sessionId": "a1", **result}}, asked)
    return script


def in_mode(mode: str) -> Script:
    available = [{"id": each, "name": each.title()} for each in MODES]
    return opened({"modes": {"currentModeId": mode, "availableModes": available}})


def option(value: str, name: str) -> list[dict[str, Any]]:
    choices = [{"value": "ask", "name": "Ask"}, {"value": value, "name": name}]
    whole = {"id": "m", "name": "Mode", "category": "mode", "type": "select"}
    return [{**whole, "currentValue": value, "options": choices}]


@pytest.mark.parametrize(
    ("mode", "unasked"),
    [
        ("default", ""),
        ("plan", ""),
        ("acceptEdits", "edits"),
        ("auto", "judged"),
        ("bypassPermissions", "all"),
    ],
)
def test_of_the_modes_of_a_new_session(mode: str, unasked: str) -> None:
    assert in_mode(mode).transcript.session.unasked == unasked


@pytest.mark.parametrize(
    ("value", "name", "unasked"),
    [
        ("agent", "Auto review", "judged"),
        ("agent-full-access", "Full access", "all"),
        ("workspace-write", "Workspace access", "edits"),
        ("yolo", "YOLO", "all"),
        ("auto_edit", "", "edits"),
        ("of-tomorrow", "Whatever", ""),
    ],
)
def test_of_an_option_by_value_or_name(value: str, name: str, unasked: str) -> None:
    assert opened({"configOptions": option(value, name)}).transcript.session.unasked == unasked


def test_it_follows_the_mode() -> None:
    script = in_mode("auto")
    seen: list[str] = []
    script.update("current_mode_update", currentModeId="default")
    seen.append(script.transcript.session.unasked)
    for value in ("yolo", "x"):
        script.update("config_option_update", configOptions=option(value, value))
        seen.append(script.transcript.session.unasked)
    assert seen == ["", "all", ""], "the most of what is told"


def test_an_agent_that_tells_its_mode_in_two_ways_may_change_it_by_one() -> None:
    listed = {"agent": "Auto review", "read-only": "Read-only"}
    available = [{"id": mode, "name": name} for mode, name in listed.items()]
    modes = {"currentModeId": "agent", "availableModes": available}
    choices = [{"value": mode, "name": name} for mode, name in listed.items()]
    both = option("agent", "Auto review")
    both[0]["options"] = choices
    script = opened({"modes": modes, "configOptions": both})
    assert script.transcript.session.unasked == "judged"
    script.update("config_option_update", configOptions=[{**both[0], "currentValue": "read-only"}])
    session = script.transcript.session
    assert (session.current_mode_id, session.unasked) == ("read-only", "")
    script.update("current_mode_update", currentModeId="agent")
    session = script.transcript.session
    assert (session.config_options[0].current_value, session.unasked) == ("agent", "judged")
