"""What is left out or masked reaches no agent: each way by which it could, driven once.

A cell of the notebook is left out, and a column of a table in its kernel is masked. What an agent
gets is what comes over its standard input, and from the notebook tools.

Not here, but in a browser: *Fix*, and what is attached in the panel.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from acp_jupyter.api.cell_options import CELL_OPTIONS
from acp_jupyter.api.models.command_table import COMMANDS
from acp_jupyter.features import programs
from acp_jupyter.kernel.magics.help import SUBCOMMANDS
from acp_jupyter.notebook_tools.tools import TOOLS
from tests.support.features import tables
from tests.support.kernel.cells import Kernel
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.user import AsUser
from tests.support.server.ways_out import (
    FRAME,
    NOTEBOOK,
    TOOL_CALLS,
    Scene,
    Way,
    another_notebook,
    hearing,
    leaks,
    open_page,
    prepare,
)

# -- ways ----------------------------------------------------------------------

_CALLS = json.dumps([{"tool": tool, "args": args} for tool, args in TOOL_CALLS])


def _prompt_of_the_panel(scene: Scene) -> str:
    scene.panel("takes", "Look")
    context = scene.user.text(f"context?notebook_path={NOTEBOOK}")
    assert "left-out" in context
    scene.more.append(context)
    return "left-out"


def _cell_by_its_number(scene: Scene) -> str:
    number = scene.hidden_number
    session_id = scene.user.new_session("takes", "work", notebook_path=NOTEBOOK)
    with open_page(scene.server):
        scene.cell("%%acp takes", f"Look at @cell {number} and @cell {number + 2}")
        scene.more.append(scene.user.text(f"sessions/{session_id}/cells/{number}"))
    return f"Cell {number} is left out by the user."


def _read_file(scene: Scene) -> str:
    scene.cell("%%acp notebook_user --policy allow-all", '[{"read": "n.ipynb"}]')
    return "This cell is left out by the user."


def _variables(scene: Scene) -> str:
    names = ("sales", "listed", "known", "hidden", "Hidden", "Shown", "shown")
    scene.cell(f"%%acp takes {' '.join(f'--var {name}' for name in names)}")
    return "| [masked] |"


def _tools_while_a_cell_waits(scene: Scene) -> str:
    scene.fail()
    scene.cell("%%acp notebook_user --policy allow-all", _CALLS)
    return FRAME


def _tools_between_two_cells(scene: Scene) -> str:
    scene.fail()
    scene.panel("notebook_user", _CALLS)
    return FRAME


def _tools_of_another_notebook(scene: Scene) -> str:
    name = another_notebook(scene)
    calls = [
        {"tool": tool, "args": {**args, "notebook": name}}
        for tool, args in TOOL_CALLS
        if tool != "last_error"
    ]
    prompt = f"{json.dumps(calls)} for @{name}"
    scene.cell("%%acp notebook_user --policy allow-all", prompt)
    return FRAME


def _name_of_another_package(scene: Scene) -> str:
    package = scene.folder / "shop"
    facts = package / "shop-1.0.dist-info"
    facts.mkdir(parents=True)
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: shop\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text("[acp_jupyter.context]\nshop = shop\n")
    (package / "shop.py").write_text(
        "import __main__\ncomplete = dir\ndef describe(name): return f'for {__main__.listed}'"
    )
    scene.kernel.run(f"import sys\nsys.path.insert(0, {str(package)!r})").ok()
    scene.cell("%%acp takes", "What is @shop:orders?")
    return "for ['[masked]']"


def _by_python(scene: Scene) -> str:
    code = "acp_jupyter.connect('takes').prompt('Look').wait()"
    scene.kernel.run(f"import acp_jupyter\n{code}", cell_id="cell-0").ok()
    return "sales = pandas"


LONG: dict[str, Way] = tables("LONG_WAYS", "ways_out")


def _cell(line: str, proof: str, prompt: str = "Go") -> Way:
    def way(scene: Scene) -> str:
        scene.cell(line, prompt)
        return proof

    return way


WAYS: dict[str, Way] = {
    "prompt": _prompt_of_the_panel,
    "get_cell": _cell_by_its_number,
    "fs/read_text_file": _read_file,
    "tools while a cell waits": _tools_while_a_cell_waits,
    "tools between two cells": _tools_between_two_cells,
    "tools of another notebook": _tools_of_another_notebook,
    "a prompt by Python": _by_python,
    "--attach": _cell("%%acp takes --attach n.ipynb", "[left out by the user]"),
    "--var": _variables,
    "@": _cell("%%acp takes", "variable/known", "What are @sales, @listed, @known and @Shown?"),
    "@ of another package": _name_of_another_package,
    "--format": _cell("%%acp takes --format", "['[masked]']", "{sales} {listed} {known}"),
    **tables("WAYS", "ways_out"),
    **LONG,
}


# -- what the product has, and what of it brings nothing of cells or values -----

_COMMANDS = {
    *("get_context", "redact_text", "edit_queued", "send_now", "steer"),
    *("list_agents", "serve_agent", "get_registry", "get_sandboxes", "update_registry"),
    *("list_sessions", "search_sessions", "create_session", "get_session", "close_session"),
    *("delete_session", "archive_session", "unarchive_session", "fork_session", "resume_session"),
    *("list_agent_sessions", "open_agent_session", "cancel", "answer_permission", "set_config"),
    *("answer_elicitation", "kill_terminal", "cancel_tool_call", "run_outside"),
    *("get_changes", "list_changing_sessions", "revert_turn", "keep_variant", "allow_download"),
    *("restart_agent", "login", "cancel_login", "logout", "list_rules", "revoke_rule"),
    *("trust_folder", "list_trust", "revoke_trust", "attach_turn"),
    *("get_usage",),
    *("import_log", "start_import", "get_import", "cancel_import"),
    # of features
    *("find_stale", "get_history", "rewind_session", "undo_rewind", "list_prompts"),
    *("list_outside_keys", "make_outside_key", "revoke_outside_key", "read_prompt_cell"),
    *("create_variant",),  # see --try
}
EXPORTS = {
    *("get_items", "get_turn", "get_records", "get_transcript", "get_traffic", "get_traffic_line"),
}
"""What has been sent is read by these."""
_OPTIONS = {
    *("--session", "--new", "--mode", "--model", "--config", "--policy", "--sandbox", "--network"),
    *("--without", "--allow", "--deny", "--trust", "--no-tools", "--out", "--timeout", "--limit"),
    *("--background", "--help"),
    # of features
    *("--rewind", "--restore"),
}
_SUBCOMMANDS = {
    *("agents", "login", "logout", "restart", "use", "sessions", "new", "resume", "fork", "close"),
    *("delete", "mode", "model", "config", "policy", "sandbox", "network", "log", "steer"),
    *("cancel", "export", "import", "status", "limit", "usage", "help"),
    # of features
    *("rewind", "context", "prompts", "record", "replay"),
}
_PROGRAMS = {"check", "data", "doctor"}


@pytest.mark.parametrize(
    ("what", "known"),
    [
        ((row.name for row in COMMANDS), {*WAYS, *EXPORTS, *_COMMANDS}),
        (TOOLS, {tool for tool, _ in TOOL_CALLS} | {"restart_kernel"}),
        (CELL_OPTIONS, {*WAYS, *_OPTIONS}),
        ((words.split()[0] for words in SUBCOMMANDS), {*WAYS, *_SUBCOMMANDS}),
        (programs(), {*WAYS, *_PROGRAMS}),
    ],
    ids=["commands", "notebook tools", "options of a cell", "subcommands", "jupyter acp"],
)
def test_each_way_has_a_row(what: Iterable[str], known: set[str]) -> None:
    """A new one needs a row in `WAYS` or in its feature's, or is listed as bringing nothing."""
    assert set(what) - known == set()


# -- the ways are gone -----------------------------------------------------------


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    folder: Path = tmp_path_factory.mktemp("ways")
    with JupyterServer(folder, agents=hearing(folder, "takes", "notebook_user")) as server:
        (server.root / "work").mkdir()
        side = server.start_kernel(NOTEBOOK)
        with (
            AsUser(server) as user,
            Kernel(server.root, connection_file=side.connection_file) as kernel,
        ):
            made = Scene(folder, server, user, side, kernel)
            prepare(made)
            yield made


_LONG = pytest.mark.long("starts kernels of its own; what is read there is the same code")


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=_LONG if name in LONG else ()) for name in WAYS],
)
def test_nothing_goes_out(scene: Scene, name: str) -> None:
    heard, proof = scene.heard(WAYS[name])
    assert proof in heard
    assert leaks(heard) == []


def test_nothing_is_in_what_is_exported(scene: Scene) -> None:
    """After turns that were near to it."""
    for name in ("@", "--var", "tools while a cell waits"):
        WAYS[name](scene)
    told = [scene.user.text(f"records?notebook_path={NOTEBOOK}")]
    sessions = [each["session_id"] for each in scene.user.get("sessions")]
    assert len(sessions) > 1
    for session in (f"sessions/{session_id}" for session_id in sessions):
        told += [scene.user.text(f"{session}/{path}") for path in _EXPORTED]
    assert "What are @sales" in "".join(told)
    assert leaks("".join(told)) == []


_EXPORTED = (
    "items?start=0&end=500",
    "traffic",
    "traffic-lines",
    *(f"transcript?format={form}&thoughts=true" for form in ("json", "markdown", "html")),
)
