"""The magics themselves."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from acp_jupyter.kernel.magics.help import DETAILS, SUBCOMMANDS
from tests.support.kernel.cells import Kernel
from tests.support.kernel.notebook_file import TURN_MIME
from tests.support.wait import PATIENCE_SECONDS

HEAVY = {"acp", "anywidget", "ipywidgets", "jupyter_server", "pydantic"}


def test_loading_the_extension_imports_next_to_nothing() -> None:
    code = (
        "import sys\n"
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance()\n"
        "before = set(sys.modules)\n"
        "shell.run_line_magic('load_ext', 'acp_jupyter')\n"
        "print(sorted({name.split('.')[0] for name in set(sys.modules) - before}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE_SECONDS,
    )
    loaded = set(eval(done.stdout))
    assert "acp_jupyter" in loaded
    assert not loaded & HEAVY


def test_a_captured_turn_is_whole_and_out_is_among_the_variables(folder: Path) -> None:
    with Kernel(folder) as kernel:
        kernel.run("%load_ext acp_jupyter").ok()
        cell = kernel.run("%%capture kept\n%%acp hello --out said\nHi").ok()
        assert cell.outputs == []
        count = kernel.run("print(len(kept.outputs), *kept.outputs[0].data)").ok().printed
        assert count.split() == ["1", TURN_MIME, "text/markdown", "text/plain"]
        (output,) = kernel.run("kept.show()").ok().outputs
        assert output.data[TURN_MIME]["final"] is True
        assert "running" not in output.data["text/markdown"]
        names = kernel.run("%who").ok().printed.split()
        assert "said" in names
        assert "_acp" not in names


@pytest.mark.long
def test_the_magics_can_be_unloaded_and_loaded_again(folder: Path) -> None:
    with Kernel(folder) as kernel:
        kernel.run("%load_ext acp_jupyter").ok()
        assert "--policy" in kernel.complete("%%acp hello --pol")
        assert "no unload function" not in kernel.run("%unload_ext acp_jupyter").ok().printed
        assert "not found" in kernel.run("%acp status").printed
        assert "not found" in kernel.run("%%acp hello\nHi").printed
        assert "--policy" not in kernel.complete("%%acp hello --pol")
        kernel.run("%load_ext acp_jupyter").ok()
        (output,) = kernel.run("%%acp hello\nHi").ok().outputs
        assert output.data[TURN_MIME]["final"] is True


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("%%acp demo\n   ", "The prompt is empty."),
        ("%%acp demo", "The prompt is empty."),
        ("%%acp --polcy ask\nx", "Type --policy."),
        ("%acp nonsense", "There is no %acp nonsense."),
        ("%acp agent", "Type %acp agents."),
        ("%acp cancel now", "Type: %acp cancel"),
        ("%acp steer", "%acp steer WORDS"),
        ("%acp use", "%acp use AGENT"),
        ("%acp help nonsense", "There is no %acp nonsense."),
        ("%acp export", "Type: %acp export PATH"),
    ],
)
def test_a_mistake_says_what_to_type(mistaken: Kernel, cell: str, words: str) -> None:
    printed = mistaken.run(cell).printed
    assert printed.startswith("UsageError: ")
    assert words in printed


def test_an_unknown_agent_names_the_known_ones(mistaken: Kernel) -> None:
    cell = mistaken.run("%%acp nobody\nHi")
    assert cell.error == "UnknownAgent"
    assert "hello" in cell.message
    assert cell.traceback == cell.message, "no class name"
    assert "\n" not in cell.traceback
    assert mistaken.run("%acp use nobody").error == "UnknownAgent"


def test_use_chooses_the_agent_of_cells_that_name_none(kernel: Kernel) -> None:
    kernel.run("%acp use hello").ok()
    kernel.run("%%acp\nHi").ok()
    assert "hello" in kernel.run("%acp sessions").ok().output.data["text/plain"]


def test_the_tables_are_markdown_and_text(kernel: Kernel) -> None:
    data = kernel.run("%acp agents").ok().output.data
    assert "| demo | Demo | ready | chosen |" in data["text/markdown"]
    assert "demo" in data["text/plain"]
    assert "this kernel" in kernel.run("%acp status").ok().output.data["text/plain"]
    for cell in ("%acp help", "%acp", "%%acp --help\nx"):
        assert "--session NAME" in kernel.run(cell).ok().printed
    assert "no session yet" in kernel.run("%acp sessions").ok().printed
    assert kernel.run("%acp cancel").ok().printed == "Nothing is running.\n"


def test_help_of_one_subcommand(mistaken: Kernel) -> None:
    for cell in ("%acp help export", "%acp export --help", "%acp export talk.md -h"):
        printed = mistaken.run(cell).ok().printed
        assert printed.startswith("%acp export PATH [options]\n\nWrite a session to a file")
        assert "--thoughts" in printed
    assert "What it may do without asking:" in mistaken.run("%%acp --help").ok().printed
    # Whatever a subcommand takes, its help begins with it.
    for words in SUBCOMMANDS:
        name = words.split()[0]
        assert mistaken.run(f"%acp help {name}").ok().printed.startswith(f"%acp {words}\n")
    assert mistaken.run("%acp help --help").ok().printed.startswith("%acp help [SUBCOMMAND]\n")
    assert DETAILS.keys() <= {words.split()[0] for words in SUBCOMMANDS}


def test_tab_completes_paths_names_and_rules(kernel: Kernel, folder: Path) -> None:
    (folder / "data").mkdir()
    (folder / "data" / "prices.csv").touch()
    (folder / ".hidden").touch()
    (folder / "two words.txt").touch()
    assert kernel.complete("%%acp demo --attach ") == ["data/"]
    assert kernel.complete("%%acp demo --attach data/pr") == ["data/prices.csv"]
    assert kernel.complete("%acp import .h") == [".hidden"]
    assert kernel.complete("%acp replay on da") == ["data/"]
    assert kernel.complete("%acp help exp") == ["export"]
    assert kernel.complete("%%acp --allow ed") == ["edit:"]
    kernel.run("%%acp hello --session big\nHi").ok()
    assert kernel.complete("%%acp hello --session ") == ["big"]


@pytest.mark.long
def test_tab_completes_subcommands_agents_and_options(kernel: Kernel) -> None:
    assert kernel.complete("%acp sta") == ["status"]
    assert kernel.complete("%acp use he") == ["hello"]
    assert "demo" in kernel.complete("%%acp ")
    assert "and" not in kernel.complete("%%acp ")
    assert kernel.complete("%%acp demo --po") == ["--policy"]
    assert kernel.complete("%%acp demo --policy acc") == ["accept-edits"]
    assert kernel.complete("x = 1\n%acp can") == ["cancel"]
    # As argparse takes them: with an equals sign, and an option's value is no agent.
    assert kernel.complete("%%acp demo --policy=acc") == ["accept-edits"]
    assert kernel.complete("%acp export talk --format=pack") == ["packets"]
    assert "--policy" not in kernel.complete("%%acp demo --policy=ask --")
    assert kernel.complete("%%acp --policy ask he") == ["hello"]
    assert kernel.complete("%%acp demo --policy ask he") == []
    assert kernel.complete("pri") == ["print"]
