"""The Claude CLI's dialect: lines, session, hooks, logins."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.dialects.claude_reader import BadOutput, CliOutput
from tests.support.agents.claude_output import read, recorded

Json = dict[str, Any]

VALUES = [{"type": "system", "n": n, "text": "naïve 🚀"} for n in range(3)]


def hook(**fields: Any) -> Json:
    name = {"type": "system", "subtype": "hook_response", "hook_name": "SessionStart:startup"}
    return name | {"stdout": "", "stderr": "", "exit_code": 0} | fields


@given(st.lists(st.integers(0, 200), max_size=8), st.booleans())
def test_lines_come_in_whatever_pieces(cuts: list[int], ends: bool) -> None:
    """Pieces of a value are joined; blank lines are skipped."""
    text = "\r\n \n".join(json.dumps(v, ensure_ascii=False) for v in VALUES)
    data = ("\n" + text + ("\n" if ends else "")).encode()
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    lines, found = CliOutput(), []
    for start, stop in pairwise(places):
        found += lines.feed(data[start:stop])
    assert found + lines.finish() == VALUES


def test_a_line_that_was_cut_off_is_told_and_the_next_is_read() -> None:
    """A partial line is reported, and the lines after it are read."""
    lines = CliOutput()
    torn = b'{"type":"assist'
    assert lines.feed(torn + b"\n" + b'{"a":1}\n' + torn) == [BadOutput(torn.decode()), {"a": 1}]
    assert lines.finish() == [BadOutput(torn.decode())]
    assert lines.finish() == []
    (notice,) = read(BadOutput("{")).of("notice")
    assert (notice["severity"], notice["_meta"]) == ("warning", {"acp-jupyter/detail": "{"})


def test_a_line_without_an_end_does_not_fill_the_memory() -> None:
    lines = CliOutput(max_bytes=100)
    for _ in range(50):
        assert lines.feed(b"x" * 20) == []
    assert lines.feed(b'\n{"a":1}\n') == [BadOutput("x" * 100), {"a": 1}]


@pytest.mark.parametrize("line", [b"\xff\xfe\n", b"[" * 200_000 + b"\n", b"NaN,\n", b'"\\ud8\n'])
def test_what_is_no_json_is_told(line: bytes) -> None:
    (bad,) = CliOutput().feed(line)
    assert isinstance(bad, BadOutput)


def test_model_and_tools_of_the_session() -> None:
    """Model and tools of system/init reach the session's details, once."""
    line = {
        "type": "system",
        "subtype": "init",
        "session_id": "uuid",
        "tools": ["Read", "Edit", "Bash"],
        "model": "claude-opus-4-5-20251101",
    }
    (update,) = read(line, line).updates
    assert update == {
        "sessionUpdate": "session_info_update",
        "_meta": {
            "acp-jupyter/session": {
                "model": "claude-opus-4-5-20251101",
                "tools": ["Read", "Edit", "Bash"],
            }
        },
    }


def test_a_mode_that_the_cli_changed_is_told() -> None:
    line = {"type": "system", "subtype": "init", "permissionMode": "default"}
    changed = {"type": "system", "subtype": "status", "status": None, "permissionMode": "plan"}
    assert read(line, line).of("current_mode_update") == []
    (update,) = read(line, changed, changed).of("current_mode_update")
    assert update["currentModeId"] == "plan"


def test_a_hook_is_one_line() -> None:
    """A hook gives one line with its output behind it."""
    (notice,) = read(hook(stdout="one\ntwo\n")).updates
    assert (notice["title"], notice["message"]) == ("SessionStart:startup", "one")
    assert notice["severity"] == "info"
    assert notice["_meta"] == {"acp-jupyter/detail": "one\ntwo"}
    assert read(hook()).updates[0]["message"] == "Hook finished."


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"exit_code": 2, "stderr": "no\nmore"}, "Hook failed, exit code 2. no"),
        ({"exit_code": 1}, "Hook failed, exit code 1."),
        ({"stderr": "careful\n", "stdout": "started\n"}, "started"),
    ],
)
def test_a_hook_that_failed_or_complained_stands_out(fields: Json, message: str) -> None:
    """A non-zero exit code or stderr is a warning."""
    (notice,) = read(hook(**fields)).updates
    assert (notice["severity"], notice["message"]) == ("warning", message)


def test_hooks_of_the_real_cli() -> None:
    """Three recorded hooks, one failed, one with stderr."""
    notices = recorded("hooks").of("notice")
    assert [(n["title"], n["severity"]) for n in notices] == [
        ("SessionStart:startup", "warning"),
        ("PreToolUse:Bash", "warning"),
        ("Stop", "info"),
    ]


@pytest.mark.parametrize(
    "line",
    [
        {"type": "system", "subtype": "auth_required"},
        {"type": "result", "is_error": True, "result": "Invalid API key · Please run /login"},
        {
            "type": "result",
            "subtype": "success",
            "is_error": True,
            "result": "API Error: 401 x",
            "api_error_status": 401,
        },
    ],
)
def test_a_login_that_is_missing(line: Json) -> None:
    """auth_required, and the CLI's own text for it, say what to do."""
    (error,) = read(line).errors
    assert error.needs_login
    assert error.error["code"] == -32000
    assert "Run claude in a terminal and type /login" in str(error.error["message"])


def test_a_real_cli_that_nobody_logged_in_to() -> None:
    """Recorded without a key; the text belongs to the error, not to the agent."""
    meaning = recorded("not_logged_in")
    (error,) = meaning.errors
    assert error.error["code"] == -32000
    assert error.error["data"] == {"details": "Not logged in · Please run /login"}
    assert meaning.text() == ""


def test_retries_are_told_once_and_when_they_take_long() -> None:
    notices = recorded("connection_lost").of("notice")
    assert [n["message"] for n in notices] == [
        "The request failed; attempt 1 of 10, in 1 s.",
        "The request failed; attempt 5 of 10, in 9 s.",
        "The request failed; attempt 6 of 10, in 17 s.",
        "The request failed; attempt 1 of 10, in 1 s.",
    ]


def test_a_rate_limit_is_told_when_it_is_near() -> None:
    def line(status: str) -> Json:
        info = {"status": status, "rateLimitType": "five_hour"}
        return {"type": "rate_limit_event", "rate_limit_info": info}

    assert read(line("allowed")).updates == []
    (notice,) = read(line("allowed_warning")).updates
    assert notice["message"] == "allowed warning (five hour)"


@pytest.mark.parametrize("line", [{}, {"type": "of_tomorrow"}, [1], "x", None, {"type": "system"}])
def test_what_is_unknown_is_kept(line: Any) -> None:
    assert read(line).updates == [{"sessionUpdate": "unknown", "raw": line}]


@pytest.mark.parametrize(
    ("summary", "detail"), [("Done.", None), ("Done.\nAll of it.", "Done.\nAll of it."), ("", None)]
)
def test_the_end_of_a_background_task_is_one_line_and_more_when_opened(
    summary: str, detail: str | None
) -> None:
    line = {"type": "system", "subtype": "task_notification", "status": "failed"}
    (notice,) = read(line | {"summary": summary}).of("notice")
    assert notice["title"] == "Background task failed"
    assert notice["message"] == summary.partition("\n")[0]
    assert notice.get("_meta") == (detail and {"acp-jupyter/detail": detail})
