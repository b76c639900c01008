"""Magics about sessions: which one, what it may choose, what was said, what went wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.agents.fake_agent import script
from tests.support.kernel.cells import Kernel


@pytest.fixture
def folder(folder: Path) -> Path:
    """With an agent that keeps its sessions."""
    file = folder.parent / "config" / "acp_agents.json"
    config = json.loads(file.read_text())
    abilities = ("resume", "fork", "close", "delete")
    keeper = script("keeps_sessions", str(folder / "agent.json"), *abilities)
    config["agent_servers"]["keeper"] = keeper
    file.write_text(json.dumps(config))
    return folder


@pytest.fixture
def again(folder: Path) -> Iterator[Kernel]:
    """Another kernel for the same notebook, later."""
    with Kernel(folder) as kernel:
        kernel.run("%load_ext acp_jupyter").ok()
        yield kernel


def rows(kernel: Kernel) -> list[str]:
    return list(kernel.run("%acp sessions").ok().output.data["text/plain"].splitlines()[1:])


def ids(kernel: Kernel) -> list[str]:
    return [row.split()[0] for row in rows(kernel)]


def answer(kernel: Kernel, cell: str) -> str:
    kernel.run(cell).ok()
    return kernel.run("print(_acp.text)").ok().printed.strip()


# -- mode, model and other options -------------------------------------------------


def test_a_cell_chooses_mode_model_and_options(kernel: Kernel) -> None:
    first = "%%acp chooses --mode 'plan only' --model Large --config web=on\nHi"
    assert answer(kernel, first) == "plan, large-1, True: Hi"
    assert answer(kernel, "%%acp chooses\nHi") == "plan, large-1, True: Hi", "it stays"
    assert answer(kernel, "%%acp chooses --mode ask --config web=no\nx") == "ask, large-1, False: x"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--mode fast", "has no mode 'fast'. There are: ask, plan, auto."),
        ("--model huge", "Model can't be 'huge'. There are: small-1, large-1."),
        ("--config colour=red", "has no option 'colour'. It has: model, web."),
        ("--config web=maybe", "Web search can't be 'maybe'. Type true or false."),
        ("--config web", "'web' is not a setting. Type NAME=VALUE."),
    ],
)
def test_what_the_agent_does_not_offer_is_told(mistaken: Kernel, options: str, words: str) -> None:
    cell = mistaken.run(f"%%acp chooses {options}\nHi")
    assert cell.error == "BadRequest"
    assert words in cell.message
    assert "\n" not in cell.traceback
    assert "no session" in mistaken.run("%acp log").message or not cell.outputs, "nothing was sent"


def test_lines_change_and_list_what_a_session_chooses(kernel: Kernel) -> None:
    kernel.run("%acp use chooses").ok()
    modes = kernel.run("%acp mode").ok().output.data["text/plain"]
    assert "Ask first" in modes
    assert "chosen" in modes.splitlines()[1]
    assert kernel.run("%acp mode plan").ok().printed == "chooses: mode plan.\n"
    assert kernel.run("%acp mode auto").ok().printed == (
        "chooses: mode auto.\nIn this mode it decides itself what to ask. "
        "The policy (ask) decides only about what it asks.\n"
    )
    kernel.run("%acp mode plan").ok()
    assert kernel.run("%acp model huge").message.endswith("There are: small-1, large-1.")
    assert kernel.run("%acp model Large").ok().printed == "chooses: model large-1.\n"
    assert kernel.run("%acp config web=true").ok().printed == "chooses: web true.\n"
    table = kernel.run("%acp config").ok().output.data["text/plain"]
    assert "true, false" in table
    assert answer(kernel, "%%acp\nHi") == "plan, large-1, True: Hi"
    assert kernel.complete("%acp mode ") == ["ask", "plan", "auto"]
    assert kernel.complete("%acp model l") == ["large-1"]
    assert kernel.complete("%acp config web=") == ["web=true", "web=false"]
    assert kernel.complete("%%acp chooses --mode p") == ["plan"]


def test_an_agent_without_choices_says_so(kernel: Kernel) -> None:
    kernel.run("%acp use hello").ok()
    assert kernel.run("%acp mode").ok().printed == "hello offers no choice of its mode.\n"
    assert kernel.run("%acp config").ok().printed == "hello has no options.\n"
    assert kernel.run("%acp model x").message == "hello offers no choice of its model."


def test_a_policy_counts_for_cells_that_name_none(kernel: Kernel) -> None:
    assert kernel.run("%acp policy wild").printed.startswith("UsageError: There is no policy")
    kernel.run("%acp policy deny").ok()
    assert kernel.run("%acp policy").ok().printed == "Cells that name no policy use deny.\n"
    kernel.run("%%acp permission\nGo").ok()
    assert kernel.run("print(_acp.permissions[0].state)").printed == "rejected\n"
    kernel.run("%%acp permission --policy allow-all\nGo").ok()
    assert kernel.run("print(_acp.permissions[0].state)").printed == "allowed\n"
    assert "that of their session" in kernel.run("%acp policy default").ok().printed


# -- which session ------------------------------------------------------------------


@pytest.mark.long
def test_a_session_is_taken_up_in_a_later_kernel(kernel: Kernel, again: Kernel) -> None:
    assert answer(kernel, "%%acp keeper\none") == "After 0: one"
    (session,) = ids(kernel)
    kernel.run("%acp close").ok()
    assert [row.split()[:1] for row in rows(again)] == [[session]]
    assert "kept" in rows(again)[0]
    assert again.complete("%acp resume ") == [session]
    assert answer(again, "%%acp keeper\nelsewhere") == "After 0: elsewhere"
    printed = again.run(f"%acp resume {session[:5]}").ok().printed
    assert printed.startswith(f"Resumed session {session} (one) of keeper.")
    assert answer(again, "%%acp keeper\ntwo") == "After 1: two"
    assert "used last" in next(row for row in rows(again) if row.startswith(session))


def test_new_and_fork_lead_cells_elsewhere(kernel: Kernel) -> None:
    kernel.run("%acp use keeper").ok()
    assert answer(kernel, "%%acp\none") == "After 0: one"
    assert kernel.run("%acp fork").ok().printed.count("continues from where") == 1
    assert answer(kernel, "%%acp\ntwo") == "After 1: two"
    assert kernel.run("%acp new").ok().printed.startswith("New session ")
    assert answer(kernel, "%%acp\nthree") == "After 0: three"
    assert len(ids(kernel)) == 3
    assert "can't fork" in kernel.run("%acp new hello\n%acp fork").message


def test_a_deleted_session_is_gone(kernel: Kernel) -> None:
    kernel.run("%%acp keeper\none").ok()
    (session,) = ids(kernel)
    assert (
        kernel.run(f"%acp delete {session}").ok().printed == f"Deleted session {session} (one).\n"
    )
    assert "no session yet" in kernel.run("%acp sessions").ok().printed
    assert kernel.run(f"%acp resume {session}").error == "UnknownSession"
    assert answer(kernel, "%%acp keeper\ntwo") == "After 0: two"


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("%acp resume", "%acp resume ID"),
        ("%acp delete", "%acp delete ID"),
        ("%acp delete a b", "%acp delete ID"),
        ("%acp sessions now", "Type: %acp sessions"),
        ("%acp new demo x", "%acp new [AGENT]"),
        ("%acp mode a b", "%acp mode MODE"),
        ("%acp log --lines many", "--lines is a number"),
        ("%acp log --lines 0", "--lines is a number"),
        ("%acp resme x", "Type %acp resume."),
    ],
)
def test_a_mistake_says_what_to_type(mistaken: Kernel, cell: str, words: str) -> None:
    mistaken.run("%acp use chooses").ok()
    printed = mistaken.run(cell).printed
    assert printed.startswith("UsageError: ")
    assert words in printed


@pytest.mark.parametrize("name", ["resume", "fork", "close", "delete", "log"])
def test_an_unknown_session_is_told(mistaken: Kernel, name: str) -> None:
    mistaken.run("%%acp hello\nHi").ok()
    cell = mistaken.run(f"%acp {name} nothing")
    assert (cell.error, cell.message) == (
        "UnknownSession",
        "There is no session 'nothing'. %acp sessions lists them.",
    )


# -- what was said, and what went wrong ---------------------------------------------


def test_the_log_is_read_in_the_cell(kernel: Kernel) -> None:
    kernel.run("%%acp hello\nHi").ok()
    printed = kernel.run("%acp log --lines 6").ok().printed.splitlines()
    assert len(printed) == 7
    assert any(line.endswith("from agent agent_message_chunk Hi") for line in printed)
    assert printed[-1].endswith("%acp export FILE.ndjson writes all of it.")
    found = kernel.run("%acp log --text session/prompt").ok().printed.splitlines()[:-1]
    assert all("session/prompt" in line for line in found)
    assert "to agent" in found[0]


# -- other options of a cell ---------------------------------------------------------


def test_a_turn_in_the_background_is_not_waited_for(kernel: Kernel) -> None:
    cell = kernel.run("%%acp slow_stream --background --out later\ngo").ok()
    assert len(cell.outputs) == 1
    assert kernel.run("print(later.done)").ok().printed == "False\n"
    kernel.run("later.cancel()").ok()
    waiting = kernel.run("later.wait(); print(later.stop_reason)").ok()
    assert waiting.printed == "cancelled\n"
    ended = kernel.run("%%acp hello --background --out quick\ngo").ok()
    after = kernel.run("quick.wait()").ok()
    states = [state for each in (*ended.outputs, *after.outputs) for state in each.states]
    assert any("Hello from" in state["text/plain"] for state in states)


UNWRITABLE = """
class Unwritable(Exception):
    def __str__(self):
        raise Unwritable
    def __repr__(self):
        raise KeyError
unwritable = Unwritable()
"""


def test_half_an_emoji_in_a_prompt_is_a_sign_of_its_own(kernel: Kernel) -> None:
    kernel.run("half = '\\ud83d'").ok()
    assert answer(kernel, "%%acp hello --format\nIt is {half}").endswith("It is \ufffd")
    kernel.run("from acp_jupyter import connect\nsession = connect('hello')").ok()
    told = kernel.run("print(session.prompt(f'Is {half}').wait().text)").ok().printed
    assert told.endswith("Is \ufffd\n")


def test_variables_in_a_prompt(kernel: Kernel) -> None:
    kernel.run(f"name, data = 'Ann', {{'a': [1, 2]}}\n{UNWRITABLE}").ok()
    assert answer(kernel, "%%acp hello --format\n{name}: {data[a]} {{x}}").endswith(
        "Ann: [1, 2] {x}"
    )
    assert answer(kernel, "%%acp hello\n{name}").endswith("{name}")
    for prompt, words in [
        ("{nobody}", "there is no variable 'nobody'"),
        ("{", "Write {{ and }} for braces."),
        ("{}", "braces must name a variable"),
        ("{data.x}", "has no attribute 'x'"),
        ("{unwritable}", "expand the prompt: Unwritable. Write"),
        ("{unwritable!r}", "expand the prompt: KeyError"),
    ]:
        cell = kernel.run(f"%%acp hello --format\n{prompt}")
        assert (cell.error, words in cell.message) == ("BadRequest", True), cell.message


# -- from Python ----------------------------------------------------------------------


def test_a_session_from_python(kernel: Kernel) -> None:
    kernel.run("from acp_jupyter import connect\nsession = connect('chooses')").ok()
    code = "print(session.configure(mode='plan', web=True, title='My plan').title)"
    assert kernel.run(code).ok().printed == "My plan\n"
    told = kernel.run("print(session.prompt('Hi').wait().text, session.state.status)").ok().printed
    assert told == "plan, small-1, True: Hi idle\n"
