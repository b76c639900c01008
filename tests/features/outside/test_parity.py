"""The table of the operations of jupyter-mcp-server: all stand there, and so do our tools."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from acp_jupyter.notebook_tools.tools import TOOLS

_PAGE = Path(__file__).parents[3] / "docs/how-to/outside-agents.md"

_THEIRS = {
    # The functions with @mcp.tool of jupyter_mcp_server/server.py in version 2.2.4 …
    *("clear_cell_output", "connect_to_jupyter", "delete_cell", "edit_cell_source"),
    *("execute_cell", "execute_code", "insert_cell", "insert_execute_code_cell", "list_files"),
    *("list_kernels", "list_notebooks", "move_cell", "overwrite_cell_source", "read_cell"),
    *("read_notebook", "restart_notebook", "unuse_notebook", "use_notebook"),
    # … those with @mcp.prompt and @mcp.resource …
    *("jupyter_cite", "notebook://", "capabilities://"),
    # … and what its README says that JupyterLab's commands and the sandboxes add.
    *("notebook_run-all-cells", "notebook_get-selected-cell"),
    *("launch_sandbox", "list_sandboxes", "terminate_sandbox", "use_sandbox"),
}
_NAME = re.compile(r"`([\w:/-]+)`")


def _rows() -> Iterator[tuple[list[str], str]]:
    """Return the names on the left, and the text on the right."""
    text = _PAGE.read_text().partition("## Coming from jupyter-mcp-server")[2]
    table = re.findall(r"^\| (.+) \| (.+) \|$", text, re.MULTILINE)
    assert table[:2] == [("there", "here"), ("---", "---")]
    for there, here in table[2:]:
        yield _NAME.findall(there), here


def test_each_operation_of_theirs_stands_in_the_table_once() -> None:
    listed = [name for names, _ in _rows() for name in names]
    assert sorted(listed) == sorted(set(listed))
    assert set(listed) == _THEIRS


def test_each_has_a_tool_of_ours_or_a_reason() -> None:
    fields = {name for row in TOOLS.values() for name in row.model_fields}
    ours: set[str] = set()
    for names, here in _rows():
        if here.startswith("left out: "):
            assert len(here) > len("left out: ") + 20, names
            continue
        named = set(_NAME.findall(here))
        assert named & set(TOOLS), names
        assert named <= set(TOOLS) | fields, names
        ours |= named
    assert set(TOOLS) <= ours
