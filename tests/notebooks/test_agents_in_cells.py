"""Agents that a cell serves, in a kernel without a server, a script and a program's run."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from acp_jupyter.transcript.output.record import TURN_MIME
from tests.support.host.trusted_folders import trust_in_data_dir
from tests.support.kernel.cells import Cell, Kernel, jupyter_environment
from tests.support.kernel.served_agents import LIBRARIAN, SERVE
from tests.support.wait import PATIENCE_SECONDS, eventually


def _folder(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    trust_in_data_dir(tmp_path / "data", tmp_path)
    return tmp_path / "work"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _folder(tmp_path_factory.mktemp("served"))


@pytest.fixture(scope="module")
def kernel(folder: Path) -> Iterator[Kernel]:
    with Kernel(folder) as kernel:
        kernel.run("%load_ext acp_jupyter").ok()
        kernel.run(LIBRARIAN).ok()
        yield kernel


@pytest.fixture
def served(kernel: Kernel) -> Kernel:
    kernel.run(f"began.clear(); released.clear()\n{SERVE}").ok()
    return kernel


def _said(cell: Cell) -> str:
    return str(cell.output.data["text/plain"])


def test_a_cell_says_how_to_talk_to_it(kernel: Kernel) -> None:
    shown = kernel.run(SERVE).ok().output.data["text/plain"]
    assert shown == "librarian answers in this notebook: %%acp librarian, until the kernel ends."


def test_it_sees_the_kernels_variables_while_the_cell_waits(served: Kernel) -> None:
    served.run("greeting = 'Good evening'").ok()
    assert _said(served.run("%%acp librarian\nsay Ada").ok()).startswith("Good evening, Ada\n")
    served.run("greeting = 'Hello'").ok()
    code = "print(acp_jupyter.connect('librarian').prompt('say Bob').wait().text)"
    assert served.run(code).ok().printed == "Hello, Bob\n"


def test_plan_permission_and_diff_are_those_of_any_agent(served: Kernel, folder: Path) -> None:
    (folder / "list.txt").write_text("old\n")
    refused = served.run("%%acp librarian --policy deny --out turn\nedit")
    assert (folder / "list.txt").read_text() == "old\n", refused
    served.run("%%acp librarian --policy accept-edits --out turn\nedit").ok()
    assert (folder / "list.txt").read_text() == "new\n"
    seen = served.run(
        "d, = turn.diffs; print(d.path, d.added, d.removed, turn.plan[0].content)"
    ).ok()
    assert seen.printed == "list.txt 1 1 Edit the list\n"


def test_its_updates_are_models_of_the_sdk_in_the_order_in_which_they_came(
    served: Kernel, folder: Path
) -> None:
    (folder / "list.txt").write_text("old\n")
    served.run("session = acp_jupyter.connect('librarian', new=True)").ok()
    served.run("before = session.prompt('say before').wait()").ok()
    prompt = "[acp.text_block('edit'), acp.text_block('and more')]"
    served.run(f"turn = session.prompt({prompt}, policy='accept-edits').wait()").ok()
    served.run("after = session.prompt('say after').wait()").ok()
    names = "print([type(u).__name__ for u in {}.updates])"
    assert served.run(names.format("turn")).ok().printed == (
        "['AgentPlanUpdate', 'ToolCallStart', 'ToolCallProgress']\n"
    )
    words = "print(''.join(u.content.text for u in {}.updates))"
    assert served.run(words.format("before")).ok().printed == "Hello, before\n"
    assert served.run(words.format("after")).ok().printed == "Hello, after\n"


def test_an_interrupt_stops_the_turn_and_the_agent_goes_on(served: Kernel) -> None:
    interrupted: list[bool] = []

    def interrupt(cell: Cell) -> None:
        if cell.outputs and not interrupted:
            interrupted.append(True)
            served.manager.interrupt_kernel()

    cell = served.run("%%acp librarian\nwait", watched=True, on_progress=interrupt)
    assert cell.error == "KeyboardInterrupt"
    assert cell.output.data[TURN_MIME]["turn"]["stop_reason"] == "cancelled"
    assert "Hello, you" in _said(served.run("%%acp librarian\nsay you").ok())


def test_the_next_turn_is_that_of_the_class_that_is_served_now(served: Kernel) -> None:
    """The running one stays with the class that began it, and the conversation is kept."""
    served.run("told.clear()").ok()
    served.run("session = acp_jupyter.connect('librarian', new=True)").ok()
    served.run("one = session.prompt('stay')").ok()
    served.run("two = session.prompt('which')\nassert began.wait()").ok()
    served.run(f"class Librarian(Librarian):\n    word = 'second'\n{SERVE}").ok()
    served.run("released.set()").ok()
    seen = served.run("print(one.wait().text)\nprint(two.wait().text)").ok().printed
    assert seen == "Hello, staying the first class, 1 messages\nthe second class, 2 messages\n"
    served.run(LIBRARIAN).ok()


def test_one_that_was_replaced_before_anybody_asked_it_is_gone(served: Kernel) -> None:
    count = "print(sum(t.name == 'acp-agent-librarian' for t in threading.enumerate()))"
    before = served.run(count).ok().printed
    for _ in range(3):
        served.run(SERVE).ok()
    eventually(lambda: served.run(count).ok().printed == before, "their threads have ended")


def test_what_it_raises_ends_its_turn_alone(served: Kernel) -> None:
    cell = served.run("%%acp librarian\nfail")
    assert cell.error
    assert "the shelf is empty" in cell.message + str([output.data for output in cell.outputs])
    assert "Hello, again" in _said(served.run("%%acp librarian\nsay again").ok())


def test_what_it_prints_is_shown_and_breaks_nothing(served: Kernel) -> None:
    cell = served.run("%%acp librarian\nwrite").ok()
    assert "Hello, written" in _said(cell)
    assert "words of the agent" not in _said(cell)


def test_one_that_blocks_its_loop_is_told_from_one_that_is_slow(served: Kernel) -> None:
    served.run("session = acp_jupyter.connect('librarian', new=True)").ok()
    served.run("turn = session.prompt('block')\nassert began.wait()").ok()
    other = served.run(
        "other = acp_jupyter.connect('librarian', session='other', policy='read-only')\n"
        "other.prompt('say x').wait()"
    )
    assert "librarian blocks its event loop: a method of it waits" in other.message
    served.run("released.set()").ok()
    assert served.run("print(turn.wait().status)").ok().printed == "done\n"


MISTAKES = [
    ("Librarian", "librarian", "Librarian is a class. Serve an agent made of it"),
    ("object()", "librarian", "object has no method prompt"),
    ("acp.Agent.__class__('Empty', (acp.Agent,), {})()", "librarian", "has no method prompt"),
    ("Awaits()", "librarian", "Awaits.prompt must begin with async def."),
    ("Librarian()", "demo", "There is an agent called demo already. Choose another name."),
    ("Librarian()", "Gemini", "There is an agent called Gemini already"),
    ("Librarian()", "two words", "'two words' can't be an agent's name"),
]


@pytest.mark.parametrize(("agent", "name", "words"), MISTAKES)
def test_a_mistake_is_said_in_a_sentence(kernel: Kernel, agent: str, name: str, words: str) -> None:
    kernel.run("class Awaits(acp.Agent):\n    def prompt(self, prompt, **kwargs): ...").ok()
    cell = kernel.run(f"acp_jupyter.serve({agent}, name={name!r})")
    assert (cell.error, words in cell.message) == ("BadRequest", True), cell.message


def test_one_that_raises_when_it_is_connected_is_not_served(kernel: Kernel) -> None:
    kernel.run(
        "class Raises(Librarian):\n"
        "    def on_connect(self, conn):\n"
        "        raise ValueError('no shelf')"
    ).ok()
    cell = kernel.run("acp_jupyter.serve(Raises(), name='raises')")
    assert cell.message == "on_connect of raises raised ValueError: no shelf."
    assert kernel.run("%%acp raises\nHi").error == "UnknownAgent"


def test_one_that_blocks_when_it_is_connected_is_not_served(kernel: Kernel) -> None:
    kernel.run(
        "class Blocks(Librarian):\n"
        "    def on_connect(self, conn):\n"
        "        released.wait()\n"
        "released.clear()"
    ).ok()
    cell = kernel.run("acp_jupyter.serve(Blocks(), name='blocks')")
    assert cell.message.startswith("blocks blocks its event loop: a method of it waits"), cell
    kernel.run("released.set()").ok()


def test_one_that_exits_ends_its_turn(kernel: Kernel) -> None:
    kernel.run(
        "class Exits(Librarian):\n"
        "    async def prompt(self, prompt, session_id, **kwargs):\n"
        "        raise SystemExit('no more')\n"
        "acp_jupyter.serve(Exits(), name='exits')"
    ).ok()
    cell = kernel.run("%%acp exits\nHi")
    assert "exits stopped during the turn" in cell.message
    assert "none serves it now" in kernel.run("%%acp exits\nHi").message


def test_an_agent_needs_no_more_than_a_prompt(served: Kernel) -> None:
    served.run(
        "class Short(acp.Agent):\n"
        "    async def prompt(self, prompt, session_id, **kwargs):\n"
        "        return acp.PromptResponse(stop_reason='end_turn')\n"
        "acp_jupyter.serve(Short(), name='short')"
    ).ok()
    assert served.run("%%acp short\nHi").ok().output.data[TURN_MIME]["agent"] == {"name": "short"}
    listed = served.run("print([a.id for a in acp_jupyter.list_agents() if ':' in a.id])").ok()
    assert "'cell:short'" in listed.printed


SCRIPT = f"""
import os
{LIBRARIAN}
{SERVE}
print(repr(acp_jupyter.serve(Librarian(), name="librarian")))
print(acp_jupyter.connect("librarian").prompt("say Ada").wait().text)
"""


def test_a_script_talks_to_its_own_agent(tmp_path: Path) -> None:
    folder = _folder(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=folder,
        env=jupyter_environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=True,
    )
    assert done.stdout.splitlines() == [
        'librarian answers here: acp_jupyter.connect("librarian"), until this program ends.',
        "Hello, Ada",
    ]
    assert done.stderr == ""


OTHER_SDK = """
import acp_jupyter
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_line_magic("load_ext", "acp_jupyter")
print([agent.id for agent in acp_jupyter.list_agents() if agent.id == "demo"])
class Librarian:
    async def prompt(self, prompt, session_id, **kwargs): ...
try:
    acp_jupyter.serve(Librarian(), name="librarian")
except Exception as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize("version", ["0.10.2", "2.0.0"])
def test_an_sdk_of_another_version_is_said_and_the_rest_works(tmp_path: Path, version: str) -> None:
    folder, packages = _folder(tmp_path), tmp_path / "packages"
    (packages / "acp").mkdir(parents=True)
    (packages / "acp" / "__init__.py").write_text("")
    about = packages / f"agent_client_protocol-{version}.dist-info" / "METADATA"
    about.parent.mkdir()
    about.write_text(f"Metadata-Version: 2.1\nName: agent-client-protocol\nVersion: {version}\n")
    env = jupyter_environment(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", OTHER_SDK],
        cwd=folder,
        env={**env, "PYTHONPATH": os.pathsep.join([str(packages), env["PYTHONPATH"]])},
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert done.stdout.splitlines() == [
        "['demo']",
        f"BadRequest An agent can't be served with agent-client-protocol {version}. "
        'Install another: pip install "agent-client-protocol>=0.11,<2".',
    ], done.stderr


def test_a_program_that_runs_the_notebook_runs_its_agent(tmp_path: Path) -> None:
    """As papermill and nbconvert do: nobody can be asked there."""
    folder = _folder(tmp_path)
    cells = ["%load_ext acp_jupyter", LIBRARIAN, SERVE, "%%acp librarian\nsay Ada"]
    made = [nbformat.v4.new_code_cell(cell) for cell in cells]  # type: ignore[no-untyped-call]
    notebook = nbformat.v4.new_notebook(cells=made)  # type: ignore[no-untyped-call]
    client = NotebookClient(
        notebook, resources={"metadata": {"path": str(folder)}}, timeout=int(PATIENCE_SECONDS)
    )
    client.execute(env=jupyter_environment(tmp_path))
    assert "Hello, Ada" in notebook.cells[-1].outputs[-1].data["text/plain"]
