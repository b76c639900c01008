"""The sandbox of each variant of a cell."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.notebooks.test_sandbox_magics import deed, needs_walls, written
from tests.support.kernel.cells import Kernel


@needs_walls
@pytest.mark.long
def test_each_variant_is_in_it(kernel: Kernel, folder: Path) -> None:
    kernel.run(f"%%acp own_tools, own_tools --try --sandbox folder\n{deed(folder)}").ok()
    assert written(folder) == set()
    kernel.run("_acp[0].keep()").ok()
    assert written(folder) == {"within"}
