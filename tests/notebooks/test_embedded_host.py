"""Cells in a kernel without a server: the host runs in the kernel."""

from __future__ import annotations

import contextlib
import json
import os
import signal
from pathlib import Path
from queue import Empty
from typing import Any

import pytest

from acp_jupyter.transcript.output.record import TURN_MIME
from tests.support.kernel.cells import Cell, Kernel
from tests.support.planted_secret import SECRET
from tests.support.processes import any_alive, family
from tests.support.wait import eventually

WIDGET_MIME = "application/vnd.jupyter.widget-view+json"
READABLE = ["text/markdown", "text/plain"]


@pytest.mark.long
def test_nobody_watches_so_the_record_is_shown_once(kernel: Kernel) -> None:
    """As under nbclient, papermill and nbval, which takes the first display of an output."""
    output = kernel.run("%%acp hello\nGood morning").ok().output
    assert [list(state) for state in output.states] == [[TURN_MIME, *READABLE]]
    assert "morning" in output.data["text/markdown"] or "hello" in output.data["text/markdown"]
    assert output.data[TURN_MIME]["final"] is True
    assert [output.display_id] == list(output.metadata["acp_jupyter"])


@pytest.mark.long
def test_an_allowed_edit_is_made(kernel: Kernel, folder: Path) -> None:
    kernel.run("%%acp permission --policy accept-edits --out turn\nnew text").ok()
    assert (folder / "edited.txt").read_text() == "new text\n"
    seen = kernel.run("print(turn is _acp, turn.status, turn.stop_reason, turn.diffs[0].path)").ok()
    assert seen.printed == "True done end_turn edited.txt\n"


@pytest.mark.long
def test_a_policy_of_connect_holds_for_its_own_prompts(kernel: Kernel, folder: Path) -> None:
    made = 'import acp_jupyter\ns = acp_jupyter.connect("permission", policy="accept-edits")'
    kernel.run(made).ok()
    kernel.run('s.prompt("new text").wait()').ok()
    assert (folder / "edited.txt").read_text() == "new text\n"
    assert kernel.run("%%acp permission\nother text").error  # nobody can be asked
    kernel.run('s.prompt("more", policy="deny").wait()').ok()
    assert (folder / "edited.txt").read_text() == "new text\n"


@pytest.mark.long
def test_what_changed_is_told_as_a_patch_and_taken_back(kernel: Kernel, folder: Path) -> None:
    """Whatever the agent reported: what counts is the folder."""
    (folder / "edited.txt").write_text("old text\n")
    kernel.run("%%acp permission --policy accept-edits --out turn\nnew text").ok()
    assert (folder / "edited.txt").read_text() == "new text\n"
    seen = kernel.run("d, = turn.diffs; print(d.path, repr(d.old_text), d.added, d.removed)").ok()
    assert seen.printed == "edited.txt 'old text\\n' 1 1\n"
    patch = kernel.run("print(turn.patch())").ok().printed
    assert "-old text\n+new text\n" in patch
    (folder / "edited.txt").write_text("mine\n")
    refused = kernel.run("turn.revert()")
    assert refused.error == "ChangesRefused"
    assert (folder / "edited.txt").read_text() == "mine\n"
    (folder / "edited.txt").write_text("new text\n")
    assert kernel.run("print(turn.revert())").ok().printed == "('edited.txt',)\n"
    assert (folder / "edited.txt").read_text() == "old text\n"


@pytest.mark.long
def test_what_is_not_kept_is_as_the_agent_reported_it(kernel: Kernel, folder: Path) -> None:
    (folder / ".gitignore").write_text("edited.txt\n")
    (folder / "edited.txt").write_text("old text\n")
    kernel.run("%%acp permission --policy accept-edits --out turn\nnew text").ok()
    seen = kernel.run("d, = turn.diffs; print(d.path, repr(d.new_text))").ok()
    assert seen.printed == "edited.txt 'new text\\n'\n"
    refused = kernel.run("turn.revert()")
    assert refused.error == "ChangesGone"
    assert "edited.txt (ignored by git)" in refused.message
    assert kernel.run("print(repr(turn.patch()))").ok().printed == "''\n"


def test_where_nobody_can_answer_the_edit_is_refused_at_once(kernel: Kernel, folder: Path) -> None:
    """Silence never grants."""
    cell = kernel.run("%%acp permission\nnew text")
    assert cell.error == "NobodyToAsk"
    assert "--policy" in cell.traceback
    assert cell.traceback.count("\n") < 5
    assert "Nobody could be asked, so this was rejected." in cell.output.data["text/markdown"]
    assert not (folder / "edited.txt").exists()


def test_a_permission_is_asked_on_stdin_without_a_default(kernel: Kernel, folder: Path) -> None:
    written: list[bool] = []

    def look(_cell: Cell) -> None:
        written.append((folder / "edited.txt").exists())

    cell = kernel.run(
        "%%acp permission\nnew text", answers=["", "yes", "9", "1"], on_progress=look
    ).ok()
    assert len(cell.questions) == 4
    assert not written[0]
    turn, question = cell.outputs
    asked, left = (state["text/plain"] for state in question.states)
    assert "wants to create a file" in asked
    assert "+new text" in asked
    assert "[1] Allow" in asked
    assert left == "permission wants to create a file"
    assert (folder / "edited.txt").read_text() == "new text\n"
    assert "Allowed once" in turn.data["text/markdown"]


@pytest.mark.long
def test_a_rejected_edit_is_not_made(kernel: Kernel, folder: Path) -> None:
    cell = kernel.run("%%acp permission\nnew text", answers=["3"]).ok()
    assert "I left the file alone." in cell.outputs[0].data["text/markdown"]
    assert not (folder / "edited.txt").exists()


@pytest.mark.long
def test_interrupting_the_question_stops_the_turn(kernel: Kernel, folder: Path) -> None:
    interrupted: list[bool] = []

    def interrupt(cell: Cell) -> None:
        if cell.questions and not interrupted:
            interrupted.append(True)
            kernel.manager.interrupt_kernel()

    cell = kernel.run("%%acp permission\nnew text", watched=True, on_progress=interrupt)
    assert cell.error == "KeyboardInterrupt"
    assert cell.outputs[0].data[TURN_MIME]["turn"]["stop_reason"] == "cancelled"
    assert not (folder / "edited.txt").exists()


def test_interrupting_stops_the_turn_and_the_next_prompt_works(kernel: Kernel) -> None:
    interrupted: list[bool] = []

    def interrupt(cell: Cell) -> None:
        if cell.outputs and not interrupted:
            interrupted.append(True)
            kernel.manager.interrupt_kernel()

    cell = kernel.run("%%acp demo\nslow rate=5", watched=True, on_progress=interrupt)
    assert cell.error == "KeyboardInterrupt"
    assert cell.traceback == "KeyboardInterrupt: Stopped by you."
    assert cell.output.data[TURN_MIME]["turn"]["stop_reason"] == "cancelled"
    assert "Stopped by you." in cell.output.data["text/markdown"]
    kernel.run("%%acp demo\nplan").ok()


@pytest.mark.long
def test_a_turn_that_takes_too_long_is_stopped(kernel: Kernel) -> None:
    cell = kernel.run("%%acp demo --timeout 0.5\nslow rate=5")
    assert cell.error == "TurnTimeout"
    assert "0.5 s" in cell.message
    saved = cell.output.data
    assert "Stopped at its time limit." in saved["text/markdown"]
    assert "by you" not in saved["text/markdown"] + saved["text/plain"]


def test_a_dead_agent_is_told_in_short_and_started_again(kernel: Kernel) -> None:
    cell = kernel.run("%%acp demo\ncrash")
    assert cell.error == "TurnError"
    assert "exited with code 3" in cell.message
    assert "crashed, because the prompt asked for it" in cell.traceback
    assert "File " not in cell.traceback
    assert "exited with code 3" in cell.output.data["text/markdown"]
    kernel.run("%%acp demo\nplan").ok()


@pytest.mark.long
def test_an_agent_that_does_not_start_says_why(kernel: Kernel) -> None:
    cell = kernel.run("%%acp exits_at_once\nhello")
    assert cell.error == "TurnError"
    assert cell.output.data[TURN_MIME]["turn"]["stop_reason"] == "error"


@pytest.mark.parametrize("agent", ["leaky", "dies_leaking"])
def test_nothing_of_the_machine_and_no_secret_is_in_any_output(
    kernel: Kernel, folder: Path, agent: str
) -> None:
    """Neither in the record nor in the error below it."""
    cell = kernel.run(f"%%acp {agent}\nsay it")
    assert ("key" in cell.traceback) == (agent == "dies_leaking")
    text = repr(cell)
    assert "[redacted]" in text
    assert SECRET not in text
    assert str(folder) not in text
    assert str(folder.parent / "home") not in text


@pytest.mark.long
@pytest.mark.parametrize(("prompt", "words"), [("max tokens", "cut"), ("refuse", "refused")])
def test_an_early_end_warns(kernel: Kernel, prompt: str, words: str) -> None:
    cell = kernel.run(f"%%acp demo\n{prompt}").ok()
    assert "UserWarning" in cell.printed
    assert words in cell.printed
    assert "/acp_jupyter/" not in cell.printed


@pytest.mark.long
def test_watched_cells_show_a_widget_that_is_fed_while_they_run(kernel: Kernel) -> None:
    """The page's own word may wait for the end of the cell, so nothing waits for it."""
    cell = kernel.run("%%acp demo\nplan", watched=True).ok()
    first, *_, last = cell.output.states
    assert list(first) == ["text/plain", WIDGET_MIME, "text/markdown"]
    assert list(last) == [TURN_MIME, *READABLE]
    messages = _framed(cell)
    frames = [message["frame"] for message in messages]
    assert [message["n"] for message in messages] == list(range(len(messages)))
    assert frames[0]["type"] == "hello"
    assert any(frame["type"] == "events" for frame in frames)
    assert _told_the_end(frames)


@pytest.mark.long
def test_a_widget_is_told_the_end_however_much_is_on_its_way(kernel: Kernel) -> None:
    """The cell waits for that two seconds at most; the rest comes after it, in order."""
    cell = kernel.run("%%acp demo\nbench n=60 size=100000", watched=True).ok()

    def told() -> bool:
        with contextlib.suppress(Empty):
            while True:
                received = kernel.client.get_iopub_msg(timeout=0)
                if received["msg_type"].startswith("comm_"):
                    cell.comms.append(received)
        return _told_the_end([message["frame"] for message in _framed(cell)])

    eventually(told, "the end of the turn is told")
    messages = _framed(cell)
    assert [message["n"] for message in messages] == list(range(len(messages)))
    assert len(json.dumps(messages)) > 6_000_000


def _framed(cell: Cell) -> list[dict[str, Any]]:
    """Return the messages to the pages that have frames; others only ask who is there."""
    sent = [message["content"]["data"] for message in cell.comms]
    custom = [data["content"] for data in sent if data.get("method") == "custom"]
    return [content for content in custom if "frame" in content]


def _told_the_end(frames: list[dict[str, Any]]) -> bool:
    """Tell it from the last event of turns: a page that joins late gets them as they are."""
    events = [event for frame in frames for event in frame.get("events", ())]
    for event in reversed(events):
        if event["kind"] in {"turn_started", "turn_ended"}:
            return bool(event["kind"] == "turn_ended")
        if event["kind"] == "snapshot":
            return bool(event["turns"][-1]["status"] == "done")
    return False


FORGED = (
    "widget._handle_custom_msg({'frame': frame}, [])",
    "widget._receive(None, {'frame': frame}, [])",
    "widget._on_frame(frame)",
    "widget.comm.handle_msg({'header': {'msg_type': 'comm_msg'}, 'content': "
    "{'data': {'method': 'custom', 'content': {'frame': frame}}}, 'buffers': []})",
    "import threading\n"
    "thread = threading.Thread(target=widget._on_frame, args=(frame,))\n"
    "thread.start()\nthread.join()",
)
"""How Python code would press a button of the widget."""


def test_only_a_page_answers_over_the_comm(kernel: Kernel, folder: Path) -> None:
    """Buttons of ``turn.widget`` are pressed in a page: `tests/hosts/test_comm_client.py`."""
    kernel.run(
        "from acp_jupyter import connect\n"
        "from acp_jupyter.kernel.client.server_client import host_client\n"
        "turn = connect('permission').prompt('new text')\n"
        "widget = turn.widget",
        watched=True,
    ).ok()
    asked = "assert turn.permissions and turn.status == 'requires_action'"
    eventually(lambda: not kernel.run(asked).error)
    kernel.run(
        "command = {'name': 'answer_permission', 'session_id': turn.session_id,\n"
        "           'request_id': turn.permissions[0].request_id, 'option_id': 'yes'}\n"
    ).ok()
    for number, way in enumerate(FORGED, start=1):
        kernel.run(
            f"frame = {{'type': 'command', 'id': {number}, 'command': command}}\n"
            f"{way}\n"
            "states = [host_client().turn(turn.id).turn.status for _ in range(50)]\n"
            "assert set(states) == {'requires_action'}, states\n"
        ).ok()
    kernel.run("turn.cancel()").ok()
    assert not (folder / "edited.txt").exists()


@pytest.mark.long
def test_turns_queue_and_each_can_be_stopped(kernel: Kernel) -> None:
    kernel.run(
        "from acp_jupyter import connect\n"
        "session = connect('demo')\n"
        "first, second = session.prompt('slow rate=5'), session.prompt('plan')\n"
        "print(first.status, second.status)\n"
        "assert second.duration is None"
    ).ok()
    assert kernel.run("%acp cancel").ok().printed == "Stopped 2 turns.\n"
    cell = kernel.run("print(first.wait().stop_reason, second.wait().stop_reason)").ok()
    assert cell.printed == "cancelled cancelled\n"


@pytest.mark.long
def test_a_turn_that_runs_is_steered_from_another_cell(kernel: Kernel) -> None:
    kernel.run(
        "from acp_jupyter import connect\n"
        "session = connect('steers')\n"
        "turns = []\n"
        "def begin():\n"
        "    turn = session.prompt('slow')\n"
        "    next(iter(turn.stream()))\n"
        "    turns.append(turn)\n"
        "    return turn"
    ).ok()
    for steer in ('begin().steer("it\'s left")', 'begin() and session.steer("it\'s left")'):
        assert kernel.run(f"print({steer}, turns[-1].wait().text)").ok().printed == (
            "True begins slow\n\nheard it's left\n"
        )
    kernel.run("_ = begin()").ok()
    assert "took it into the turn" in kernel.run("%acp steer it's left").ok().printed
    assert "heard it's left" in kernel.run("print(turns[-1].wait().to_markdown())").ok().printed
    for late in ("turns[-1].steer('x')", "session.steer('x')", "%acp steer x"):
        assert kernel.run(late).error == "BadRequest"


@pytest.mark.long
def test_a_turn_can_be_awaited_and_shows_itself(kernel: Kernel) -> None:
    cell = kernel.run(
        "from acp_jupyter import connect\nturn = await connect('hello').prompt('Hi')\nturn"
    ).ok()
    assert cell.output.data[TURN_MIME]["final"] is True
    assert len(json.dumps(kernel.run("print(turn.to_dict())").ok().printed)) > 100


@pytest.mark.long
def test_the_same_session_is_kept_between_cells_and_new_starts_another(kernel: Kernel) -> None:
    for line in ("hello", "hello", "hello --new", "hello --session other"):
        kernel.run(f"%%acp {line}\nHi").ok()
    listed = kernel.run("%acp sessions").ok().output.data["text/plain"]
    assert len(listed.splitlines()) == 4


def test_no_agent_outlives_a_killed_kernel(kernel: Kernel) -> None:
    cell = kernel.run(
        "from acp_jupyter import connect; turn = connect('demo').prompt('slow rate=2')"
    )
    cell.ok()
    kernel.run("while turn.status != 'running': pass").ok()
    below = eventually(lambda: family(kernel.pid))
    assert any("acp_jupyter.agents.demo" in command for command in below.values())
    os.kill(kernel.pid, signal.SIGKILL)
    eventually(lambda: not any_alive(below), f"the agent's processes end: {below}")


@pytest.mark.long
def test_no_agent_outlives_a_kernel_that_shuts_down(folder: Path) -> None:
    with Kernel(folder) as kernel:
        kernel.run("%load_ext acp_jupyter").ok()
        kernel.run("%%acp hello\nHi").ok()
        below = family(kernel.pid)
        assert below
    eventually(lambda: not any_alive(below))
