"""What no agent may get, and what drives the ways by which it could.

A feature's rows of the table are ``WAYS`` and ``LONG_WAYS`` in its ``ways_out.py``.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from websockets.exceptions import ConnectionClosed

from acp_jupyter.host.limits import Limits
from acp_jupyter.notebook_tools.notebooks import FileNotebooks
from tests.support.agents.fake_agent import script
from tests.support.kernel.cells import Cell, Kernel, jupyter_environment
from tests.support.server.jupyter_server import JupyterServer, KernelSide
from tests.support.server.stream import Page
from tests.support.server.user import AsUser

__all__ = [
    "FAILS_ID",
    "FRAME",
    "HIDDEN_ID",
    "NOTEBOOK",
    "TABLE_ID",
    "TOOL_CALLS",
    "Scene",
    "Way",
    "another_notebook",
    "hearing",
    "leaks",
    "open_page",
    "prepare",
    "run_apart",
]

NOTEBOOK = "work/n.ipynb"
LEFT_OUT = "merlin-4417"
"""In the source and the outputs of a cell that is left out."""
MASKED = "osprey-8823"
"""In a column that is masked, and in no cell's source or output."""
_CANARIES = (LEFT_OUT, MASKED)

_HIDDEN = f'''\
def hidden(rows, mark="{LEFT_OUT}"):
    """Return numbers; {LEFT_OUT} in the documentation."""
    return [1 / int(each) for each in rows]  # {LEFT_OUT} in the code


class Hidden:
    """{LEFT_OUT} in the documentation of a class."""


print("mer" "lin-4417 is printed")'''
_TABLE = """\
import pandas
from acp_jupyter.context import mask
sales = pandas.DataFrame({"email": ["-".join(["osprey", "8823"])], "amount": [7.25]})
mask(sales, ["email"])
import duckdb, sqlite3
saved, lite = duckdb.connect(), sqlite3.connect(":memory:")
for each in (saved, lite):
    each.execute("CREATE TABLE sales (email TEXT, amount DOUBLE)")
    each.executemany("INSERT INTO sales VALUES (?, ?)", sales.values.tolist())
listed, known = [sales.email[0]], {sales.email[0]: 1}
class Shown(Hidden): pass
shown = Hidden()"""
_FAILS = "hidden([0])"
_FAILS_LATER = "hidden(listed)"

HIDDEN_ID, TABLE_ID, FAILS_ID, FAILED_ID = "cell-1", "cell-2", "cell-3", "cell-4"

_IDS = ["cell-0", HIDDEN_ID, TABLE_ID, FAILS_ID, FAILED_ID]
_HIDDEN_CELL = {"cell_id": HIDDEN_ID, "fingerprint": "0"}

TOOL_CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("list_cells", {}),
    ("read_cells", {"cell_ids": _IDS}),
    ("insert_cell", {"source": "# new", "before": HIDDEN_ID}),
    ("edit_cell", {**_HIDDEN_CELL, "edits": [{"old": "def", "new": "def"}]}),
    ("move_cell", {**_HIDDEN_CELL, "after": "cell-0"}),
    ("delete_cell", _HIDDEN_CELL),
    ("list_variables", {}),
    ("last_error", {}),
    *(
        ("inspect", {"code": code})
        for code in ("hidden", "Hidden", "Shown", "shown", "sales", "listed", "known")
    ),
    ("complete", {"code": "known['"}),
    ("list_tables", {}),
    *(("describe_table", {"name": name}) for name in ("sales", "saved", "lite", "listed")),
    *(
        ("query", {"name": name, "sql": sql})
        for name in ("sales", "saved", "lite")
        for sql in (
            "SELECT * FROM sales",
            "SELECT amount FROM sales",
            "SELECT max(email) AS amount FROM sales",
            "SELECT CAST(email AS INTEGER) FROM sales",
            "SELECT a.* FROM sales AS a",
            "SELECT b FROM (SELECT email AS b FROM sales) AS sales",
        )
    ),
    ("run_code", {"code": "hidden([0])"}),
    ("run_cells", {"cell_ids": [FAILS_ID]}),
    ("run_cells", {"cell_ids": [HIDDEN_ID]}),
    ("interrupt", {}),
)
"""Calls of all tools but ``restart_kernel``, which forgets what is masked."""

_TRACEBACK = """\
import json, sys
_made = get_ipython().InteractiveTB.structured_traceback(
    sys.last_type, sys.last_value, sys.last_traceback
)
print(json.dumps(_made))"""


def hearing(folder: Path, *modes: str) -> dict[str, dict[str, Any]]:
    """Return fake agents that keep all that they get, in the file `heard_in`."""
    env = {"ACP_HEARD": str(heard_in(folder))}
    words = {"takes": ("image", "embeddedContext")}
    return {mode: {**script(mode, *words.get(mode, ())), "env": env} for mode in modes}


def heard_in(folder: Path) -> Path:
    return folder / "heard.ndjson"


def leaks(text: str) -> list[str]:
    """Return the canaries in a text, each with what is around it."""
    found = []
    for canary in _CANARIES:
        place = text.find(canary)
        if place >= 0:
            found.append(text[max(0, place - 150) : place + 150])
    return found


@dataclass
class Scene:
    """A notebook with its kernel, what can be sent from there, and what an agent has got of it."""

    folder: Path
    server: JupyterServer
    user: AsUser
    side: KernelSide
    kernel: Kernel
    more: list[str] = field(default_factory=list)
    """What else has reached an agent, or leaves otherwise."""

    @property
    def path(self) -> Path:
        return self.server.root / NOTEBOOK

    @property
    def hidden_number(self) -> int:
        """The number of the cell that is left out: agents have inserted others."""
        cells = json.loads(self.path.read_text())["cells"]
        return 1 + next(place for place, cell in enumerate(cells) if cell["id"] == HIDDEN_ID)

    def fail(self) -> None:
        """Run the cell that fails with a masked value, so that this is the last error."""
        failed = self.kernel.run(_FAILS_LATER, cell_id=FAILED_ID)
        assert MASKED in failed.message
        content = json.loads(self.path.read_text())
        for cell in content["cells"]:
            if cell["id"] == FAILED_ID:
                cell["execution_count"] = _count(self.kernel)
        self.path.write_text(json.dumps(content))

    def cell(self, line: str, prompt: str = "Go") -> Cell:
        """Run the prompt cell of the notebook to its end."""
        return self.kernel.run(f"{line}\n{prompt}", cell_id="cell-0", watched=True).ok()

    def panel(self, agent: str, prompt: str, policy: str = "allow-all") -> None:
        """Send a prompt as the panel does; wait for the turn's end."""
        session_id = self.user.new_session(agent, "work", notebook_path=NOTEBOOK)
        self.user.post(f"sessions/{session_id}/config", {"policy": policy}).raise_for_status()
        self.user.ended(self.user.prompt(session_id, prompt))

    def heard(self, way: Way) -> tuple[str, str]:
        """Go a way; return what has reached an agent by it, and what must be in that."""
        file = heard_in(self.folder)
        before = file.stat().st_size if file.exists() else 0
        self.more.clear()
        proof = way(self)
        after = file.read_bytes()[before:].decode() if file.exists() else ""
        return "\n".join((after, *self.more)), proof


Way: TypeAlias = Callable[[Scene], str]
"""Drives a way; returns words that show in what was heard that it was gone."""
FRAME = "[a frame of a cell that is left out by the user]"


def prepare(scene: Scene) -> None:
    """Run the notebook's cells in its kernel, and write its file as a page saves it.

    The error that stands in it has no masked value: a saved output is given as it is.
    """
    counts: dict[str, int] = {}
    scene.kernel.run("%load_ext acp_jupyter").ok()
    for cell_id, source in ((HIDDEN_ID, _HIDDEN), (TABLE_ID, _TABLE)):
        scene.kernel.run(source, cell_id=cell_id).ok()
        counts[cell_id] = _count(scene.kernel)
    assert scene.kernel.run(_FAILS, cell_id=FAILS_ID).error == "ZeroDivisionError"
    counts[FAILS_ID] = _count(scene.kernel)
    traceback = json.loads(scene.kernel.run(_TRACEBACK).ok().printed)
    assert LEFT_OUT in "".join(traceback)
    error = {"output_type": "error", "ename": "ZeroDivisionError", "evalue": "division by zero"}
    printed = {"output_type": "stream", "name": "stdout", "text": f"{LEFT_OUT} is printed"}
    cells = [
        _nb_cell("cell-0", "%%acp takes\nGo"),
        _nb_cell(HIDDEN_ID, _HIDDEN, counts, [printed], context="left-out"),
        _nb_cell(TABLE_ID, _TABLE, counts, context="pinned"),
        _nb_cell(FAILS_ID, _FAILS, counts, [{**error, "traceback": traceback}]),
        _nb_cell(FAILED_ID, _FAILS_LATER),
    ]
    scene.path.write_text(json.dumps(_notebook(cells)))


def _notebook(cells: list[dict[str, Any]]) -> dict[str, Any]:
    kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    metadata = {"kernelspec": kernelspec}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def another_notebook(scene: Scene) -> str:
    """Write another notebook with a kernel, of which the same stays; return its name."""
    name = "other.ipynb"
    cells = [_nb_cell(HIDDEN_ID, _HIDDEN, context="left-out"), _nb_cell(TABLE_ID, _TABLE)]
    (scene.path.parent / name).write_text(json.dumps(_notebook(cells)))
    side = scene.server.start_kernel(f"work/{name}")
    for source in (_HIDDEN, _TABLE):
        side.run(source)
    return name


def run_apart(scene: Scene, name: str, *words: str, **files: str) -> None:
    """Run ``jupyter acp`` on a notebook with these cells, in a folder and kernel of its own.

    Parameters
    ----------
    files
        More files of the folder, without their suffix ``.toml``.
    """
    folder = scene.folder / name / "work"
    folder.mkdir(parents=True)
    prompts = ("%%acp takes --var hidden --var sales\nGo", "%%acp takes\nLook at @listed, @cell 1")
    cells = [
        _nb_cell(HIDDEN_ID, _HIDDEN, context="left-out"),
        _nb_cell(TABLE_ID, _TABLE),
        *(_nb_cell(f"prompt-{number}", prompt) for number, prompt in enumerate(prompts)),
    ]
    (folder / "n.ipynb").write_text(json.dumps(_notebook(cells)))
    for stem, text in files.items():
        (folder / f"{stem}.toml").write_text(text)
    config = folder.parent / "config" / "acp_agents.json"
    config.parent.mkdir()
    config.write_text(json.dumps({"agent_servers": hearing(scene.folder, "takes")}))
    command = [sys.executable, "-m", "acp_jupyter.command_line", *words]
    ran = subprocess.run(
        command,
        cwd=folder,
        env=jupyter_environment(folder.parent),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


def _count(kernel: Kernel) -> int:
    """Return the execution count of the cell that ran last."""
    return int(kernel.run("print(len(In) - 2)").ok().printed)


def _nb_cell(
    cell_id: str,
    source: str,
    counts: dict[str, int] | None = None,
    outputs: list[dict[str, Any]] | None = None,
    context: str = "",
) -> dict[str, Any]:
    return {
        "id": cell_id,
        "cell_type": "code",
        "source": source,
        "metadata": {"acp": {"context": context}} if context else {},
        "outputs": outputs or [],
        "execution_count": (counts or {}).get(cell_id),
    }


@contextmanager
def open_page(server: JupyterServer) -> Iterator[None]:
    """Have a page with the notebook open; it answers what it is asked from the file."""
    files = FileNotebooks(server.root, Limits())
    path = server.root / NOTEBOOK

    def answered(question: dict[str, Any]) -> dict[str, Any]:
        if question["op"] != "read_notebook":
            return {}
        return {"notebook": asyncio.run(files.read(path)).model_dump(mode="json")}

    def serve(page: Page) -> None:
        try:
            while True:
                ask = page.until("ask")
                page.send({"type": "answer", "id": ask["id"], **answered(ask["question"])})
        except (ConnectionClosed, TimeoutError):
            return

    with Page(server.stream()) as page:
        document = {"path": NOTEBOOK, "dirty": False, "focused_at": 1}
        page.send({"type": "documents", "documents": [document]})
        page.command("list_agents")  # so that the server has read the frame above
        thread = threading.Thread(target=serve, args=(page,), daemon=True)
        thread.start()
        yield
    thread.join()
