"""Updates about a session as a whole."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.packets import parse_packet
from acp_jupyter.transcript.model.items import Notice
from tests.acceptance.shown import shown
from tests.acceptance.turns_of_seeds import SEED_TURNS

Json = dict[str, Any]


def says(raw: Json) -> Json:
    """Return what a packet says, without what it does not."""
    packet = parse_packet(raw).model_dump(exclude_defaults=True)
    return {key: value for key, value in packet.items() if key != "type"}


def told(model: Any, tools: Any) -> Json:
    return {"_meta": {"acp-jupyter/session": {"model": model, "tools": tools}}}


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (told("opus", ["Read", 5, "Edit"]), {"model": "opus", "tools": ("Read", "Edit")}),
        (told(5, "Read"), {}),
        ({"title": "t"}, {"title": "t"}),
        ({"title": None}, {"clears_title": True}),
        ({"title": 5}, {}),
        ({}, {}),
    ],
    ids=str,
)
def test_session_info(raw: Json, expected: Json) -> None:
    """S4.21: model and tools; a null title clears, an absent one is kept."""
    assert says({"sessionUpdate": "session_info_update", **raw}) == expected


def test_model_and_tools_are_details_of_the_session() -> None:
    """S4.21."""
    session = SEED_TURNS["session_details"]().transcript.session
    assert (session.model, session.tools) == ("claude-opus-4-5", ("Read", "Edit", "Bash"))


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ({"title": "t", "description": "d"}, {"title": "t", "text": "d"}),
        ({"title": "t", "message": "d"}, {"title": "t", "text": "d"}),
        ({"message": "d", "severity": "warning"}, {"text": "d", "severity": "warning"}),
        ({"message": "d", "severity": "error"}, {"text": "d", "severity": "error"}),
        ({"message": "d", "severity": "info"}, {"text": "d"}),
        ({"message": "d", "severity": "moon"}, {"text": "d"}),
        ({"_meta": {"acp-jupyter/detail": "lines"}}, {"detail": "lines"}),
    ],
    ids=str,
)
def test_notices(raw: Json, expected: Json) -> None:
    """S4.22: title, line, severity, and lines for those who look closer."""
    assert says({"sessionUpdate": "notice", **raw}) == expected


def test_hooks_are_rows() -> None:
    """S4.22: one that failed stands out."""
    good, bad = shown(SEED_TURNS["hooks"](), Notice)
    assert (good.severity, good.title, good.detail) == ("info", "SessionStart:startup", "ready")
    assert (bad.severity, bad.title) == ("warning", "PreToolUse:Bash")
    assert (bad.text, bad.detail) == ("ended with exit code 127", "jq: command not found")


@pytest.mark.parametrize(
    ("status", "title"),
    [
        ("in_progress", "Making room in the context"),
        ("completed", "Older messages were summarised"),
        ("failed", "The context could not be summarised"),
        ("cancelled", "Summarising was stopped"),
        ("moon", "Context"),
    ],
)
def test_compactions(status: str, title: str) -> None:
    """S4.22: a notice like others; one that failed stands out."""
    update = {"sessionUpdate": "compaction_update", "status": status, "summary": "s"}
    severity = {"severity": "warning"} if status == "failed" else {}
    assert says(update) == {"title": title, "text": "s", **severity}


@pytest.mark.parametrize("key", ["availableCommands", "available_commands"])
def test_commands(key: str) -> None:
    """S4.8: what has no name is none; the hint is optional."""
    listed = [{"name": "a", "description": "d", "input": {"hint": "h"}}, {"name": 5}, {}, None, "b"]
    (command,) = says({"sessionUpdate": "available_commands_update", key: listed})["commands"]
    assert command == {"name": "a", "description": "d", "hint": "h"}


@pytest.mark.parametrize("key", ["configOptions", "config_options"])
def test_config_options(key: str) -> None:
    """S4.9, C22: modes may also be options; they are kept as they come."""
    options = says({"sessionUpdate": "config_option_update", key: [{"id": "mode"}, 5, {}]})
    assert options == {"options": ({"id": "mode"},)}


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (
            {"cost": {"amount": 0.5, "currency": "USD"}},
            {"cost_amount": 0.5, "cost_currency": "USD"},
        ),
        ({"cost": {"amount": 1}}, {"cost_amount": 1.0}),
        ({"cost": {"amount": True, "currency": 5}}, {}),
        ({"cost": {"amount": "1"}}, {}),
        ({}, {}),
    ],
    ids=str,
)
def test_usage(raw: Json, expected: Json) -> None:
    """S3.18: tokens of the context, and what it costs."""
    update = {"sessionUpdate": "usage_update", "used": 5, "size": 9.0, **raw}
    assert says(update) == {"used": 5, "size": 9, **expected}
