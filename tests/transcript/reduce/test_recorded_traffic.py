"""What published agents really sent: nothing raises, and the cards read well."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_jupyter.transcript.model.items import AgentMessage, ErrorItem
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.support.log.recorded import RECORDED, TRAFFIC, Recording
from tests.support.transcript.event_view import View

RECORDINGS = [*sorted(TRAFFIC.glob("*.jsonl")), *sorted(RECORDED.glob("*.jsonl"))]


def calls(recording: Recording) -> list[ToolCall]:
    state = recording.script.transcript
    return [i for i in state.window(0, len(state.items)) if isinstance(i, ToolCall)]


def words(name: str) -> list[tuple[str, str, str]]:
    found = calls(Recording(TRAFFIC / f"{name}.jsonl"))
    return [(call.title, call.description, call.status) for call in found]


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_a_recording_gives_a_sensible_transcript(path: Path) -> None:
    recording = Recording(path)
    state = recording.script.transcript
    items = state.window(0, len(state.items))
    said = "".join(item.text for item in items if isinstance(item, AgentMessage))
    assert said == recording.text()
    for call in calls(recording):
        assert call.title
        assert "/workspace" not in call.title
        assert not call.path.startswith("/")
        assert call.tool_kind != "other" or call.tool_name
        assert call.turn_id is not None
        if state.turns[call.turn_id].status == "done":
            assert call.status in {"completed", "failed", "cancelled"}


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_the_events_of_a_recording_give_a_page_the_same_items(path: Path) -> None:
    script = Recording(path).script
    items = script.transcript.window(0, len(script.transcript.items))
    shown = View().take(script.events).state()[1]
    assert shown == [item.model_dump(mode="json") for item in items]


def test_titles_and_descriptions() -> None:
    shell = "echo hello-from-shell; echo err-line >&2; ls -a"
    assert words("claude-write_file") == [("Write hello.py", "", "completed")]
    assert words("claude-run_command") == [("Running command", shell, "completed")]
    assert words("codex-edit_file") == [
        ("Read hello.py", "", "completed"),
        ("Edit hello.py", "", "completed"),
    ]
    assert words("gemini-edit_file") == [
        ("Reading file", "hello.py", "completed"),
        ("hello.py: hello from mock => HELLO edited", "", "completed"),
    ]
    # A shell's title is the command, and no other field holds it.
    assert words("gemini-fail_command") == [("echo before; exit 3", "", "completed")]
    assert words("opencode-write_file") == [("Writing file", "hello.py", "completed")]
    assert words("opencode-many_tools") == [
        ("Reading file", "hello.py", "completed"),
        ("Running command", "echo one", "completed"),
        ("Running command", "echo two", "completed"),
        ("Searching files", "**/*", "failed"),
        ("Writing file", "many.py", "completed"),
        ("Reading file", "many.py", "completed"),
        ("Editing file", "many.py", "completed"),
        ("Running command", "python3 many.py || true", "completed"),
    ]


def test_a_command_is_shown_without_the_shell_around_it() -> None:
    (call,) = calls(Recording(TRAFFIC / "codex-permission.jsonl"))
    assert call.command == "touch /workspace/needs_approval.txt && echo approved"
    assert call.description == call.command


def test_output_is_shown_without_the_fence_around_it() -> None:
    (call,) = calls(Recording(TRAFFIC / "claude-run_command.jsonl"))
    assert call.output == "hello-from-shell\nerr-line\n.\n..\nhello.py\n"


def test_the_diff_that_was_asked_about_stays() -> None:
    """opencode asks with a diff and ends the same call with a sentence instead."""
    (call,) = calls(Recording(TRAFFIC / "opencode-write_file.jsonl"))
    (diff,) = call.diffs
    assert (diff.path, diff.is_new_file, diff.added) == ("hello.py", True, 6)
    assert call.output == "Wrote file successfully."


@pytest.mark.parametrize(
    ("name", "title", "outcome"),
    [
        ("claude-write_file", "Claude Agent wants to create a file", "Allowed once"),
        ("codex-edit_file", "Codex wants to edit a file", "Allowed once"),
        ("codex-reject", "Codex wants to run a command", "Rejected"),
        ("gemini-reject", "Gemini CLI wants to run a command", "Rejected"),
        ("opencode-reject", "OpenCode wants to run a command", "Rejected"),
    ],
)
def test_permission_requests(name: str, title: str, outcome: str) -> None:
    call = calls(Recording(TRAFFIC / f"{name}.jsonl"))[-1]
    assert call.permission is not None
    assert (call.permission.title, call.permission.outcome) == (title, outcome)
    assert call.status == ("completed" if outcome == "Allowed once" else "failed")


def test_an_error_of_the_provider_is_a_sentence() -> None:
    """Gemini passes the provider's JSON on as its message."""
    state = Recording(TRAFFIC / "gemini-error.jsonl").script.transcript
    errors = [i for i in state.window(0, len(state.items)) if isinstance(i, ErrorItem)]
    said = [error.message.partition(" answered with an error: ")[2] for error in errors]
    assert [words.partition(".")[0] for words in said] == ["mock error", "terminated"]
