"""pandas and matplotlib in a kernel of another environment, which a real server runs."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.notebook_tools.in_process import write_notebook
from tests.support.agents.fake_agent import script
from tests.support.environments import ROOT, install_kernelspec, tables_environment
from tests.support.kernel.cells import Cell, Kernel
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.kernel_tools import DOOR_CONFIG, Tool

pytestmark = pytest.mark.long

_PLOT = "import matplotlib.pyplot as plt; plt.plot([1, 2]); plt.title('Rising')"
_FRAME = """
import pandas as pd
df = pd.DataFrame({"price": [1.5, None, 3.0], "name": ["tea", "x" * 500, "milk"]})
prices = df["price"]
array = prices.to_numpy()
import matplotlib.pyplot as plt
figure, axes = plt.subplots()
axes.set_title("Rising")
plt.close(figure)
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    folder = tmp_path_factory.mktemp("server")
    agents = {"takes": script("takes", "image")}
    install_kernelspec(folder / "data", "tables", tables_environment())
    env = {"PYTHONPATH": str(ROOT)}
    with JupyterServer(folder, agents=agents, config=DOOR_CONFIG, env=env) as server:
        yield server


@pytest.fixture(scope="module")
def place(server: JupyterServer) -> Iterator[tuple[Kernel, Tool]]:
    side = server.start_kernel("own.ipynb", "tables")
    tool = Tool(server, side.kernel_id)
    assert tool.run("'it has started'")["status"] == "ok"
    with Kernel(server.root, connection_file=side.connection_file) as kernel:
        kernel.run("%load_ext acp_jupyter").ok()
        yield kernel, tool


def pictures(ran: dict[str, Any]) -> list[str]:
    assert ran["status"] == "ok", ran
    return [
        each["data"]["image/png"] for each in ran["outputs"] if "image/png" in each.get("data", {})
    ]


def test_a_plot_is_seen_beside_a_cell_and_within_one_that_waits(
    server: JupyterServer, place: tuple[Kernel, Tool]
) -> None:
    kernel, tool = place
    (beside,) = pictures(tool.run(_PLOT))
    within: list[dict[str, Any]] = []

    def work() -> None:
        within.append(tool.run(_PLOT))
        with server.user() as user:
            for session in user.get("sessions").json():
                user.post(f"sessions/{session['session_id']}/cancel", json={}).raise_for_status()

    thread = threading.Thread(target=work)

    def begin(cell: Cell) -> None:
        if cell.outputs and thread.ident is None:
            thread.start()

    kernel.run("%%acp demo\nslow rate=5", watched=True, on_progress=begin)
    thread.join()
    (picture,) = pictures(within[0])
    assert beside.startswith("iVBOR")
    assert picture.startswith("iVBOR")


def test_tables_and_figures_are_described(place: tuple[Kernel, Tool]) -> None:
    kernel, tool = place
    kernel.run(_FRAME).ok()
    told = {each["name"]: each for each in tool("variables")["variables"]}
    assert told["df"]["detail"] == "3 rows × 2 columns: price, name"
    assert told["array"]["detail"] == "3, float64"
    names = " ".join(f"--var {name}" for name in ("df", "prices", "array", "figure", "axes"))
    kernel.run(f"%%acp takes {names}\nLook", watched=True).ok()
    blocks = json.loads(kernel.run("print(_acp.text)").ok().printed)
    text = blocks[1]["text"]
    for words in (
        "DataFrame of 3 rows × 2 columns.",
        "- price: float64, 1 missing",
        "1 missing values.",
        "First 3 rows:",
        "Series 'price' of 3 values, float64.",
        "numpy array of shape 3, float64.\nSmallest 1.5, largest 3.0.\n1 NaN.",
        "A figure with 1 axes.\n- title 'Rising'",
    ):
        assert words in text, words
    assert "x" * 100 not in text
    assert [block["type"] for block in blocks[2:]] == ["image", "image"]


def test_tool_calls_are_a_table(place: tuple[Kernel, Tool]) -> None:
    kernel, _ = place
    kernel.run("%%acp demo --policy allow-all\nrun echo hello", watched=True).ok()
    told = kernel.run(
        "frame = _acp.tool_calls.to_frame()\n"
        "print(frame.index.name, frame['kind'].iloc[-1], frame['exit_code'].dtype)"
    ).ok()
    assert told.printed == "tool_call_id execute Int64\n"


def test_the_demo_agent_looks_at_a_table_and_sees_its_plot(
    server: JupyterServer, place: tuple[Kernel, Tool]
) -> None:
    kernel, _ = place
    path = server.root / "own.ipynb"
    write_notebook(path, "%%acp demo")
    kernel.run(_FRAME).ok()
    answers = []
    for prompt in ("look at df", "plot df"):
        cell = f"%%acp demo --policy allow-all --session tables\n{prompt}"
        kernel.run(cell, cell_id="cell-0", watched=True).ok()
        answers.append(kernel.run("print(_acp.text)").ok().printed)
    looked, plotted = answers
    assert "`df` is a `pandas.DataFrame`: 3 rows × 2 columns: price, name." in looked
    assert "price    1" in looked.partition("Missing values:")[2]
    assert "I added a cell below yours. It plots `df`. I see the plot: a PNG of" in plotted
    assert "df.plot(" in path.read_text()
    assert "image/png" in path.read_text()
