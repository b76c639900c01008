"""A frontend that speaks comms and nothing else of ours, as VS Code and Colab do."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.host.trusted_folders import trust_in_data_dir
from tests.support.kernel.cells import Cell, Kernel
from tests.support.kernel.comm import Comm
from tests.support.wait import eventually


@pytest.fixture
def kernel(tmp_path: Path) -> Iterator[Kernel]:
    folder = tmp_path / "work"
    folder.mkdir()
    trust_in_data_dir(tmp_path / "data", tmp_path)
    with Kernel(folder) as kernel:
        yield kernel


def test_a_turn_is_followed_asked_and_answered_over_a_comm(kernel: Kernel, tmp_path: Path) -> None:
    opened = kernel.run(
        "from acp_jupyter import connect\n"
        "turn = connect('demo').prompt('create asked.txt rate=0')\n"
        "turn.widget",
        watched=True,
    ).ok()
    comm = Comm(kernel, opened)
    assert comm.state["mode"] == "comm"
    asked = tmp_path / "work" / "asked.txt"
    (shared,) = (
        message["content"]
        for message in opened.comms
        if "_esm" not in (state := message["content"]["data"].get("state", {})) and "code" in state
    )
    code = shared["data"]["state"]["code"]
    assert comm.state["_code_model"] == f"IPY_MODEL_{shared['comm_id']}"
    assert len(json.dumps(comm.state)) < 6_000 < len(code)
    comm.send({"code": True})
    assert eventually(comm.hear_code, what="the kernel sends the code") == code
    plan = "from acp_jupyter.widgets import PlanWidget\nPlanWidget(turn)"
    opened = kernel.run(plan, watched=True).ok()
    states = [message["content"]["data"].get("state", {}) for message in opened.comms]
    assert "plan" in [state.get("part") for state in states]
    assert not any(state.get("_code") or state.get("code") for state in states)

    comm.send({"open": True})
    request = eventually(comm.pending, what="the request reaches the page")
    assert request["options"][0]["name"] == "Allow once"
    assert not asked.exists()
    command = {
        "name": "answer_permission",
        "session_id": comm.state["session_id"],
        "request_id": request["request_id"],
        "option_id": request["options"][0]["option_id"],
    }
    comm.send({"frame": {"type": "command", "id": 1, "command": command}})
    eventually(lambda: comm.find("turn_ended"), what="the end reaches the page")
    assert asked.exists()
    assert comm.numbers == list(range(len(comm.numbers)))

    # What is malformed, or from a page that knows more than we do, harms nothing.
    odd_ones: tuple[dict[str, Any], ...] = (
        {"frame": {"type": "wibble"}},
        {"frame": []},
        {"frame": {"type": "command"}},
        {},
    )
    for odd in odd_ones:
        comm.send(odd)
    assert kernel.run("print(turn.stop_reason)").ok().printed == "end_turn\n"


def test_a_session_is_one_widget_that_sends_what_is_typed(kernel: Kernel) -> None:
    """What its page sends is of the user, whatever the kernel's code has sent."""
    opened = kernel.run(
        "from acp_jupyter import connect\n"
        "session = connect('demo')\n"
        "session.prompt('plan rate=0').wait()\n"
        "assert session.widget is connect('demo').widget\n"
        "session.widget",
        watched=True,
    ).ok()
    comm = Comm(kernel, opened)
    assert (comm.state["part"], comm.state["mode"], comm.state["turn_id"]) == (
        "session",
        "comm",
        "",
    )
    comm.send({"open": True})
    eventually(lambda: comm.find("snapshot"), what="the session reaches the page")
    for number, prompt in enumerate(("list rate=0", "slow rate=2")):
        command = {"name": "prompt", "session_id": comm.state["session_id"], "prompt": prompt}
        comm.send({"frame": {"type": "command", "id": number, "command": command}})
    eventually(lambda: comm.find("turn_ended"), what="the first one ends")
    runs = "print(session.widget.status, session.widget.tool_calls)"
    eventually(lambda: kernel.run(runs).printed == "running ()\n", what="the second one runs")
    command = {"name": "cancel", "session_id": comm.state["session_id"], "turn_id": None}
    comm.send({"frame": {"type": "command", "id": 3, "command": command}})
    said = "print(session.widget.stop_reason)"
    eventually(lambda: kernel.run(said).printed == "cancelled\n", what="the kernel's widget knows")


@pytest.mark.long
def test_a_prompt_of_a_button_has_no_cell(kernel: Kernel) -> None:
    """A message on a comm is no cell, though one ran before it."""
    opened = kernel.run(
        "import ipywidgets\n"
        "from acp_jupyter import connect\n"
        "session, turns = connect('demo'), []\n"
        "button = ipywidgets.Button()\n"
        "button.on_click(lambda button: turns.append(session.prompt('plan rate=0')))\n"
        "print(button.comm.comm_id)",
        watched=True,
    ).ok()
    data = {"method": "custom", "content": {"event": "click"}}
    content = {"comm_id": opened.printed.strip(), "data": data}
    kernel.client.shell_channel.send(kernel.client.session.msg("comm_msg", content))
    eventually(lambda: kernel.run("print(len(turns))").printed == "1\n", what="the click acts")
    told = "o = turns[0].wait()._detail.turn.origin; print([o.cell_id, len(o.view_id), o.source])"
    assert kernel.run(told).ok().printed == "['', 32, '']\n"
    assert kernel.run("print(turns[0].widget.cell_id == o.view_id)").ok().printed == "True\n"


@pytest.mark.long
def test_a_question_ends_once_it_is_settled_elsewhere(kernel: Kernel, tmp_path: Path) -> None:
    """Nobody types an answer: the turn is stopped meanwhile, as by another page or its limit."""
    asked, answer = tmp_path / "asked", answer_last(kernel)

    def progress(cell: Cell) -> None:
        if cell.questions:
            asked.touch()
        answer(cell)

    code = (
        "import os, threading, time\n"
        "from acp_jupyter import connect\n"
        "turn = connect('demo').prompt('create asked.txt rate=0')\n"
        "def stop():\n"
        f"    while not os.path.exists({str(asked)!r}): time.sleep(0.01)\n"
        "    turn.cancel()\n"
        "threading.Thread(target=stop).start()\n"
        "print(turn.wait().stop_reason)\n"
        "print(input('Still interactive? '))"
    )
    seen = kernel.run(code, watched=True, on_progress=progress).ok()
    assert seen.questions == ["Your answer (1 to 3): ", "Still interactive? "]
    assert seen.printed == "This is no longer asked.\ncancelled\nyes\n"


def answer_last(kernel: Kernel) -> Callable[[Cell], None]:
    """Answer the question of the cell's own code, and none before it."""
    given: list[str] = []

    def progress(cell: Cell) -> None:
        if not given and cell.questions[-1:] == ["Still interactive? "]:
            given.append("yes")
            kernel.client.input("yes")

    return progress
