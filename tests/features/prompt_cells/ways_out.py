"""Ways by which something could go out: rows of `tests.server.test_ways_out`."""

from __future__ import annotations

from tests.support.server.ways_out import NOTEBOOK, Scene, Way, open_page, run_apart


def _run_prompt_cell(scene: Scene) -> str:
    """Name cells in a prompt cell that the page runs."""
    number = scene.hidden_number
    source = f"%%acp takes\nLook at @cell {number} and @cell {number + 2}"
    body = {"notebook_path": NOTEBOOK, "cell_id": "cell-0", "source": source}
    with open_page(scene.server):
        answer = scene.user.post("prompt-cells", body).raise_for_status()
        scene.user.ended(answer.json()["turn_id"])
    return f"Cell {number} is left out by the user."


def _run(scene: Scene) -> str:
    run_apart(scene, "run", "run", "--trust", "n.ipynb")
    return "['[masked]']"


WAYS: dict[str, Way] = {"run_prompt_cell": _run_prompt_cell}
LONG_WAYS: dict[str, Way] = {"run": _run}
