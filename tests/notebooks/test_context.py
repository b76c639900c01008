"""What goes with a prompt: variables, files; and what comes back as a table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.transcript.output.record import TURN_MIME
from tests.support.kernel.cells import Cell, Kernel

FIGURE = """
class Figure:
    def _repr_png_(self):
        import base64
        return base64.b64decode(
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAE"
            "hQGAhKmMIQAAAABJRU5ErkJggg==")
figure = Figure()
"""


@pytest.fixture
def folder(folder: Path) -> Path:
    """The agent tells what it was sent, and takes everything."""
    file = folder.parent / "config" / "acp_agents.json"
    config = json.loads(file.read_text())
    config["agent_servers"]["takes"]["args"] += ["image", "embeddedContext"]
    file.write_text(json.dumps(config))
    return folder


def sent(kernel: Kernel, cell: Cell) -> list[dict[str, Any]]:
    cell.ok()
    assert TURN_MIME in cell.output.data
    printed = kernel.run("print(_acp.text)").ok().printed
    blocks: list[dict[str, Any]] = json.loads(printed)
    return blocks


def test_variables_go_with_the_prompt_as_data(kernel: Kernel) -> None:
    kernel.run("prices = {'tea': 3, 'milk': 1}\ndef double(x):\n    return 2 * x").ok()
    kernel.run(FIGURE).ok()
    cell = kernel.run("%%acp takes --var prices --var double --var figure\nLook")
    text, variables, image = sent(kernel, cell)
    assert text["text"] == "Look"
    assert '<notebook-data origin="variable prices">' in variables["text"]
    assert "{'tea': 3, 'milk': 1}" in variables["text"]
    assert "return 2 * x" in variables["text"]
    assert image["mimeType"] == "image/png"
    missing = kernel.run("%%acp takes --var price\nLook")
    assert "There is no variable 'price' in this kernel. Type --var prices." in missing.printed
    assert not missing.outputs
    assert set(kernel.complete("%%acp takes --var pri")) == {"prices"}


def test_patterns_and_notebooks_go_with_the_prompt(kernel: Kernel, folder: Path) -> None:
    (folder / "a.txt").write_text("first")
    (folder / "b.txt").write_text("second")
    notebook = {"cells": [{"cell_type": "markdown", "id": "x1", "source": "# Plan"}]}
    (folder / "plan.ipynb").write_text(json.dumps(notebook))
    cell = kernel.run("%%acp takes --attach *.txt --attach plan.ipynb\nLook")
    resources = [block["resource"]["text"] for block in sent(kernel, cell)[1:]]
    assert resources == ["first", "second", "## Cell 1 (markdown, id x1)\n\n# Plan"]


def test_tool_calls_are_objects_and_rows(kernel: Kernel) -> None:
    kernel.run("%%acp demo --policy allow-all\nrun echo hello").ok()
    told = kernel.run(
        "calls = _acp.tool_calls\n"
        "row = calls.rows()[-1]\n"
        "print(isinstance(calls, tuple), calls[-1].status, row['kind'], row['status'])\n"
        "import sys\n"
        "sys.modules['pandas'] = None\n"
        "calls.to_frame()"
    )
    assert told.printed == "True completed execute completed\n"
    assert told.error == "MissingPackage"
    assert "%pip install pandas" in told.message


MASKED = """
import pandas
from acp_jupyter.context import mask
sales = pandas.DataFrame({"email": ["-".join(["ann", "lee"])], "amount": [7.25]})
mask(sales, ["email"])
listed = [sales.email[0]]
"""


def test_masked_columns_stay_in_the_kernel(kernel: Kernel) -> None:
    kernel.run(MASKED).ok()
    line = "%%acp takes --var sales --var listed --format"
    cell = kernel.run(f"{line}\nLook at @sales and @listed: {{listed}}")
    said = [json.dumps(sent(kernel, cell))]
    assert kernel.run("int(sales.email[0])").error == "ValueError"
    said.append(json.dumps(sent(kernel, kernel.run("%acp fix takes"))))
    assert all("ann-lee" not in each and "[masked]" in each for each in said)
    assert "7.25" in said[0]
    assert "invalid literal" in said[1]


CATALOGUE = Path(__file__).parents[1] / "kernel" / "execution" / "shop_catalogue"


def test_names_of_other_packages_go_with_the_prompt(kernel: Kernel) -> None:
    """The documented example, installed in the kernel's environment."""
    kernel.run(f"import sys; sys.path.append({str(CATALOGUE)!r})").ok()
    assert set(kernel.complete("%%acp takes\nLook at @shop:o")) == {
        "@shop:orders",
        "@shop:orders_2025",
    }
    text, described = sent(kernel, kernel.run("%%acp takes\nLook at @shop:orders, and @shop:none."))
    assert text["text"] == "Look at @shop:orders, and @shop:none."
    assert described["resource"]["text"].startswith("shop:orders\nOne row per order.")
    assert described["resource"]["uri"].endswith("/shop%3Aorders")
