"""What ``%acp fix`` says of the cell that failed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell

from acp_jupyter.api.models.turns import CellPlace, NotebookContext
from acp_jupyter.features.fix.kernel import fix_prompt, named_variables
from acp_jupyter.kernel.left_out import left_out_cells
from acp_jupyter.kernel.variables import describe
from tests.support.kernel.own_shell import own_shell


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InteractiveShell]:
    with own_shell(tmp_path, monkeypatch) as made:
        yield made
    for name in ("last_type", "last_value", "last_traceback", "last_exc"):
        vars(sys).pop(name, None)


@pytest.mark.parametrize(
    ("cell", "names"), [("import os\nx = [1]\nx[5]", ("x",)), ("x = (1,\n", ())]
)
def test_the_cell_that_failed_goes_along(
    shell: InteractiveShell, cell: str, names: tuple[str, ...]
) -> None:
    assert not shell.run_cell(cell).success  # type: ignore[no-untyped-call]
    error = sys.last_value
    assert error is not None
    prompt = fix_prompt(shell, error)
    assert f"The cell:\n\n```python\n{cell.strip()}\n```" in prompt
    assert "Error" in prompt.partition("The traceback:")[2]
    assert named_variables(shell, error) == names


def test_nothing_of_a_cell_that_is_left_out_goes_along(shell: InteractiveShell) -> None:
    places = [
        CellPlace(number=1, cell_id="a", context="left-out", execution_count=1),
        CellPlace(number=2, cell_id="b", execution_count=2),
    ]
    left_out_cells.update(lambda: NotebookContext(cells=tuple(places)))
    shell.run_cell("def hidden():\n    return 1 / 0  # hush", store_history=True)  # type: ignore[no-untyped-call]
    caught = "except ArithmeticError as error:\n    raise ValueError from error"
    shell.run_cell(f"try:\n    hidden()\n{caught}", store_history=True)  # type: ignore[no-untyped-call]
    error = sys.last_value
    assert error is not None
    prompt = fix_prompt(shell, error)
    assert "hush" not in prompt
    assert "[left out by the user]" in prompt
    assert "ZeroDivisionError" in prompt
    assert "hush" not in describe("hidden", shell.user_ns["hidden"]).text
    left_out_cells.update(NotebookContext)
    assert "hush" in fix_prompt(shell, error)
    assert "hush" in describe("hidden", shell.user_ns["hidden"]).text
