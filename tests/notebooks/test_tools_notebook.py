"""The notebook about the notebook tools, run in a server's kernel as a page runs it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.reader import NotJSONError

from acp_jupyter.transcript.output.record import TURN_MIME
from tests.support.kernel.cells import Cell, Kernel
from tests.support.server.jupyter_server import JupyterServer
from tests.support.wait import eventually

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "notebook_tools.ipynb"
ANSWERS = {
    "look": "`sales` is a `dict`: length 5.",
    "query": "| Fri | 18 |\n| Wed | 15 |",
    "plot": "I see the plot: a PNG of",
    "fix": "`cuont` is not known; `count` was meant. It ran again without an error.",
    "deny": "It went no further. The notebook tools said:",
    "off": "There are no notebook tools in this session",
}


def read(path: Path = NOTEBOOK) -> Any:
    """Return a notebook, once it is whole: the server too puts turns into it."""

    def whole() -> Any:
        try:
            return nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
        except NotJSONError:
            return None

    return eventually(whole, what=f"{path} is a notebook")


def run_all(kernel: Kernel, path: Path) -> None:
    """Run the cells that are there when their turn comes; save what each shows."""
    done: set[str] = set()
    while True:
        left = (c for c in read(path).cells if c.cell_type == "code" and c.id not in done)
        cell = next(left, None)
        if cell is None:
            return
        done.add(cell.id)
        ran = kernel.run(cell.source, cell_id=cell.id, watched=True)
        if "raises-exception" not in cell.metadata.get("tags", ()):
            ran.ok()
        content = read(path)  # the agent may have written to it
        (cell,) = (each for each in content.cells if each.id == cell.id)
        cell.outputs = outputs(ran)
        nbformat.write(content, path)  # type: ignore[no-untyped-call]


def outputs(ran: Cell) -> list[Any]:
    """What a page saves."""
    found: list[Any] = []
    if ran.printed:
        found.append({"output_type": "stream", "name": "stdout", "text": ran.printed})
    for output in ran.outputs:
        shown = {"data": output.data, "metadata": output.metadata}
        found.append({"output_type": "display_data", **shown})
    if ran.error:
        traceback = ran.traceback.splitlines()
        error = {"ename": ran.error, "evalue": ran.message, "traceback": traceback}
        found.append({"output_type": "error", **error})
    return [nbformat.from_dict(output) for output in found]  # type: ignore[no-untyped-call]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The notebook after a run from top to bottom; its own asserts have held."""
    folder = tmp_path_factory.mktemp("tools")
    with JupyterServer(folder, env={"ACP_DEMO_RATE": "0"}) as server:
        path = Path(shutil.copy(NOTEBOOK, server.root))
        file = server.start_kernel(path.name).connection_file
        with Kernel(server.root, connection_file=file) as kernel:
            run_all(kernel, path)
        yield read(path)


@pytest.mark.parametrize("state", ["run", "saved"])
def test_every_part_is_shown(request: pytest.FixtureRequest, state: str) -> None:
    content = request.getfixturevalue("run") if state == "run" else read()
    turns = {
        cell.id: output["data"]
        for cell in content.cells
        for output in cell.get("outputs", [])
        if TURN_MIME in output.get("data", {})
    }
    assert turns.keys() == ANSWERS.keys()
    for cell_id, words in ANSWERS.items():
        assert turns[cell_id][TURN_MIME]["final"], cell_id
        assert words in turns[cell_id]["text/markdown"], cell_id
    ids = [cell.id for cell in content.cells]
    below = content.cells[ids.index("plot") + 1]
    assert below.metadata.acp.agent == "demo"
    assert "image/png" in below.outputs[0].data
    assert ids[ids.index("plot") + 2] == "plotted", "one plot, however often it is run"


def test_the_failing_cell_is_mended_in_the_run_and_fails_in_what_is_saved(run: Any) -> None:
    (mended,) = (cell for cell in run.cells if cell.id == "broken")
    assert mended.source == "mean = sum(sales.values()) / count\nmean"
    assert mended.outputs[0].data["text/plain"] == "12.2"
    (broken,) = (cell for cell in read().cells if cell.id == "broken")
    assert broken.outputs[0].ename == "NameError"


def test_what_was_saved_names_no_machine() -> None:
    text = NOTEBOOK.read_text()
    for local in (str(Path.home()), "/tmp/", "widget-view"):
        assert local not in text
