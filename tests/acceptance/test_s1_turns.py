"""What users see of seed 000's packets: whole turns."""

from __future__ import annotations

import pytest

from acp_jupyter.transcript.model.items import AgentMessage, Artifact, ErrorItem, TurnEnd
from acp_jupyter.transcript.model.tool_items import ToolCall
from acp_jupyter.transcript.output.html import html_page
from acp_jupyter.transcript.output.markdown import session_markdown
from acp_jupyter.transcript.redactor import Redactor, Scrubber
from tests.acceptance import golden
from tests.acceptance.change_turns import MADE_TURNS
from tests.acceptance.shown import only, shown
from tests.acceptance.turns_and_ends import ENDED_TURNS
from tests.acceptance.turns_of_seeds import SEED_TURNS
from tests.acceptance.turns_of_tools import AT, TOOL_TURNS, TOOLS, play
from tests.support.transcript.traffic import Script

EMPTY = {
    "description": "",
    "command": "",
    "path": "",
    "output": "",
    "diffs": (),
    "blocks": (),
    "locations": (),
    "files": None,
    "count": None,
    "exit_code": None,
    "diagnostics": (),
    "progress": None,
    "message": "",
    "subagent_type": "",
}


def test_chunks_are_joined_with_nothing_added() -> None:
    """S1.5: in the order of their arrival."""
    message = only(SEED_TURNS["spoken"](), AgentMessage)
    assert message.text == "I'll help you create a dashboard with **three** charts."
    assert not message.open


def test_a_started_call_has_nothing_to_open() -> None:
    """S1.6: nulls and empties give no section."""
    for call in shown(TOOL_TURNS["tools_started"](), ToolCall):
        expected = dict(EMPTY)
        if call.tool_name == "task":
            expected["description"] = "Running subagent"
        assert call.status == "pending"
        assert {name: getattr(call, name) for name in EMPTY} == expected


def test_every_tool_has_one_card_from_start_to_end() -> None:
    """S1.8: progress joins the card of its id, with its own time."""
    script = TOOL_TURNS["tools_finished"]()
    finished = shown(script, ToolCall)
    assert tuple(call.tool_name for call in finished) == TOOLS
    assert {call.status for call in finished} == {"completed"}
    glob = finished[0]
    assert (glob.started_at, glob.ended_at) == (AT + 4, AT + 12.125)


def test_the_times_of_a_call_are_shown_in_exports() -> None:
    """S1.8: the packets' own times, for people and for programs."""
    script = play("s1-tool_call_start-glob", "s1-tool_call_progress-glob")
    state = script.transcript
    turns, items = list(state.turns.values()), state.window(0, len(state.items))
    began, ended = "2026-01-22 19:13:04 UTC", "2026-01-22 19:13:12 UTC"
    text = session_markdown(state.session, turns, {"t1": items})
    assert text.count(f"Started {began}, ended {ended}.") == 1
    page = html_page(state.session, turns, items, Scrubber.of_session(state.session, Redactor()))
    assert f'<time datetime="2026-01-22T19:13:12.125Z">{ended}</time>' in page
    assert page.count(f">{began}</time>") == 1


def test_the_input_that_came_later_is_shown() -> None:
    """S1.9: empty at the start."""
    before = only(play("s1-tool_call_start-bash", end=""), ToolCall)
    after = only(TOOL_TURNS["bash_done"](), ToolCall)
    assert (before.command, before.description) == ("", "")
    assert (after.command, after.title) == ("pytest -q", "Run the tests")
    assert after.raw_input == {"command": "pytest -q", "description": "Run the tests"}


def test_nulls_erase_nothing() -> None:
    """S1.10, S1.11, C13: an update of which every field is null changes nothing."""
    names = ("s1-tool_call_start-edit", "s1-tool_call_progress-edit")
    script = play(*names, end="")
    before = only(script, ToolCall)
    nulls = dict.fromkeys(("title", "kind", "content", "rawInput", "rawOutput", "locations"))
    late = {**golden.read("s1-tool_call_progress-edit"), **nulls}
    script.imported(late)
    assert only(script, ToolCall) == before
    gone = {key: value for key, value in late.items() if value is not None}
    script.imported(gone)
    assert only(script, ToolCall) == before


def test_locations_are_places_to_go_to() -> None:
    """S1.36: a path, and a line or none."""
    call = only(TOOL_TURNS["locations"](), ToolCall)
    places = [(place.path, place.line) for place in call.locations]
    assert places == [("src/a.py", 12), ("src/b/index.ts", None), ("/etc/hosts", 1)]


@pytest.mark.parametrize(
    ("reason", "shown_as"),
    [("end_turn", "end_turn"), ("max_tokens", "max_tokens"), ("stop_sequence", "end_turn")],
)
def test_a_prompt_response_ends_the_turn(reason: str, shown_as: str) -> None:
    """S1.39, C3: streaming is off and the input is free."""
    script = ENDED_TURNS[f"stop_{reason}"]()
    assert only(script, TurnEnd).stop_reason == shown_as
    assert not only(script, AgentMessage).open
    session = script.transcript.session
    assert (session.status, session.active_turn_id) == ("idle", None)
    assert script.transcript.turns["t1"].status == "done"


@pytest.mark.parametrize(
    ("turn", "words", "code"),
    [
        ("error", "Too many requests", "rate_limited"),
        ("error_number", "Failed to read file: File not found", "-1"),
    ],
)
def test_an_error_is_shown_and_ends_the_turn(turn: str, words: str, code: str) -> None:
    """S1.40: with its code; nothing streams on."""
    script = ENDED_TURNS[turn]()
    error = only(script, ErrorItem)
    assert words in error.message
    assert error.code == code
    assert [message.open for message in shown(script, AgentMessage)] in ([], [False])
    assert script.transcript.session.active_turn_id is None
    assert script.transcript.turns["t1"].stop_reason == "error"


def test_an_artifact_has_a_preview_only_where_there_is_one() -> None:
    """S1.41, C15: file, image, nextjs_app and web_app."""
    made = {a.artifact_id: a for a in shown(MADE_TURNS["artifacts"](), Artifact)}
    web, notes, chart = (made[f"art_{n}"] for n in (1, 2, 3))
    assert (web.type, web.name, web.path) == ("web_app", "Dashboard", "outputs/web")
    assert web.preview_url == "/api/build/sessions/7f3c/preview"
    assert (notes.type, notes.type_name, notes.preview_url) == ("other", "File", "")
    assert (chart.type, chart.type_name, chart.preview_url) == ("image", "Image", "")
    assert only(play("s1-artifact_created"), Artifact).type == "web_app"


def test_live_updates_and_imported_packets_are_the_same() -> None:
    """S1.3, S1.8: the packets of seed 000 also come in `session/update`."""
    live = Script(cwd="/workspace/sandboxes/7f3c", start=AT)
    live.turn("Build a dashboard.")
    names = ("s1-tool_call_start-glob", "s1-tool_call_progress-glob-in_progress")
    for name in (*names, "s1-tool_call_progress-glob"):
        live.update("", **golden.read(name))
    assert only(live, ToolCall).files == only(TOOL_TURNS["search_found"](), ToolCall).files


def test_the_examples_of_results() -> None:
    """S1.30: file text, the body of a new file, a diff."""
    names = ("read_wrapped", "write_new", "edit_existing")
    read, new, edit = (only(TOOL_TURNS[name](), ToolCall) for name in names)
    assert read.output.startswith("import pandas")
    assert (new.is_new_file, new.diffs[0].new_text) == (True, "// new file content...")
    assert (new.diffs[0].old_text, new.diffs[0].is_new_file) == (None, True)
    assert (edit.is_new_file, edit.diffs[0].is_new_file) == (False, False)
