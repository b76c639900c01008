"""Going back from a kernel: by ``%acp rewind``, by a cell's ``--rewind``, and from a program."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.agents.fake_agent import script
from tests.support.kernel.cells import Cell, Kernel


@pytest.fixture
def kernel(folder: Path) -> Iterator[Kernel]:
    """With an agent that tells what it remembers, and one that changes files."""
    file = folder.parent / "config" / "acp_agents.json"
    config = json.loads(file.read_text())
    keeper = script("keeps_sessions", str(folder.parent / "agent.json"), "resume")
    config["agent_servers"] |= {"keeper": keeper, "own": script("own_tools")}
    file.write_text(json.dumps(config))
    with Kernel(folder) as kernel:
        kernel.run("%load_ext acp_jupyter").ok()
        yield kernel


def prompt(kernel: Kernel, text: str, options: str = "", cell_id: str = "") -> Cell:
    return kernel.run(f"%%acp keeper {options}\n{text}", cell_id=cell_id or text).ok()


def answer(kernel: Kernel) -> str:
    return kernel.run("print(_acp.text)", cell_id="x").ok().printed.strip()


def test_lines_take_turns_back_and_put_them_back(kernel: Kernel) -> None:
    for text in ("one", "two", "three"):
        prompt(kernel, text)
    assert "3 turns that can be reverted" in kernel.run("%acp rewind 4").printed
    assert "'none' is not a number" in kernel.run("%acp rewind none").printed
    printed = kernel.run("%acp rewind 2").ok().printed
    assert printed.startswith("Went back to before “two”. The agent gets the earlier conversation")
    prompt(kernel, "four")
    assert answer(kernel).startswith("After 0: <earlier-conversation>")
    assert "You: After 0: one" in answer(kernel)
    assert "two" not in answer(kernel)
    assert "the conversation goes on here" in kernel.run("%acp rewind --undo").ok().printed
    prompt(kernel, "five")
    assert answer(kernel) == "After 3: five"
    assert "did not begin by going back" in kernel.run("%acp rewind --undo").message


def test_a_cell_goes_back_to_before_its_earlier_run(kernel: Kernel) -> None:
    prompt(kernel, "one", "--rewind", "a")  # nothing to go back to
    assert answer(kernel) == "After 0: one"
    prompt(kernel, "two", cell_id="b")
    prompt(kernel, "three", cell_id="c")
    shown = prompt(kernel, "two again", cell_id="b")
    words = "remembers that run and the turn after it."
    assert words in shown.output.data["text/plain"] + shown.output.data["text/markdown"]
    back = prompt(kernel, "three, other", "--rewind", "c")
    assert "Went back to before “three”." in back.printed
    assert "You: After 1: two" in answer(kernel)
    assert "three\n" not in answer(kernel).replace("three, other", "")
    back = prompt(kernel, "one, other", "--rewind", "a")
    assert "The agent starts a new conversation." in back.printed
    assert answer(kernel) == "After 0: one, other"
    # It stays so after a session was taken up by its id, too.
    session = kernel.run("print(_acp.session_id)", cell_id="x").printed.strip()
    kernel.run(f"%acp resume {session}").ok()
    prompt(kernel, "one, at last", "--rewind", "a")
    assert answer(kernel) == "After 0: one, at last"
    prompt(kernel, "more", cell_id="d")
    assert answer(kernel) == "After 1: more"


@pytest.mark.long
def test_a_program_goes_back_and_undoes_it(kernel: Kernel, folder: Path) -> None:
    file = folder / "a.txt"
    code = """
import acp_jupyter
session = acp_jupyter.connect("own", trust=True)
first = session.prompt("write a.txt one").wait()
second = session.prompt("write a.txt two").wait()
branch = session.rewind(second)
print(branch.rewound.turns, branch.rewound.paths, branch.state.branch.turn_id == second.id)
"""
    assert kernel.run(code).ok().printed.strip() == "1 ('a.txt',) True"
    assert file.read_text() == "one"
    assert kernel.run("print(branch.undo_rewind().id == session.id)").ok().printed == "True\n"
    assert file.read_text() == "two"
    file.write_text("mine")
    refused = kernel.run("session.rewind(first.id)")
    assert refused.error == "ChangesRefused"
    assert "a.txt was changed since the turn" in refused.message
    assert (
        "Files were left"
        in kernel.run("print(session.rewind(first, files=False).rewound.words)").ok().printed
    )
    assert file.read_text() == "mine"
