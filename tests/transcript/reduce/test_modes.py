"""A mode in which the agent asks less than everything is known, however the agent tells of it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.script import Script

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
