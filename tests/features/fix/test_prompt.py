"""What ``%acp fix`` says of the cell that failed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell

from acp_jupyter.features.fix.kernel import fix_prompt, named_variables
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
