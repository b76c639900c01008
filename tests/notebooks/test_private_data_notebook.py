"""The notebook about masked columns and cells that are left out runs, and shows what was saved."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.support.kernel.cells import Kernel
from tests.support.kernel.notebook_file import read_notebook

NAME = "private_data.ipynb"
NOTEBOOK = Path(__file__).parents[2] / "notebooks" / NAME


def test_it_shows_what_was_sent(folder: Path) -> None:
    shutil.copy(NOTEBOOK, folder)
    sent = []
    # The kernel knows its notebook, as one that a Jupyter server has started.
    with Kernel(folder, env={"JPY_SESSION_NAME": NAME}) as kernel:
        for cell in read_notebook(NOTEBOOK).cells:
            if cell.cell_type != "code":
                continue
            ran = kernel.run(cell.source, cell_id=cell.id).ok()
            if cell.id.endswith("sent") and ran.printed:
                saved = cell.outputs[0].text
                # The first line has the session's id and the size of its traffic.
                sent.append(ran.printed.partition("\n")[2])
                assert sent[-1] == saved.partition("\n")[2]
    assert len(sent) == 3
    told = "".join(sent)
    assert told.count("[masked]") == 5
    assert told.count('goal = "Orders by customer') == 3
    for hidden in ("ann@", "bob@", "cid@", "For us only"):
        assert hidden not in told
