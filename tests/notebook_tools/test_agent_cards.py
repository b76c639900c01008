"""How agents spell a call of our tools."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.notebook_tools.tool_permissions import holds_arguments, names_tool
from acp_jupyter.transcript.model.tool_items import ToolCall

_ARGUMENTS: dict[str, Any] = {"code": "x = 1"}
_CODEX_ASKS = {
    "server_name": "notebook",
    "request": {
        "_meta": {"codex_approval_kind": "mcp_tool_call", "tool_params": _ARGUMENTS},
        "message": 'Allow the notebook MCP server to run tool "run_code"?',
    },
}
_CODEX = {"server": "notebook", "tool": "run_code", "arguments": _ARGUMENTS}


def _call(title: str, raw: object) -> ToolCall:
    return ToolCall(id="i1", turn_id="t1", tool_call_id="c", title=title, raw_input=raw)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("title", "raw"),
    [
        ("notebook_run_code", _ARGUMENTS),
        ("mcp__notebook__run_code", _ARGUMENTS),
        ("run_code", _ARGUMENTS),
        ("run_code (notebook MCP Server)", _ARGUMENTS),
        ("Tool: notebook/run_code", _CODEX),
        ("Approve Run code", _CODEX_ASKS),
    ],
)
def test_a_call_is_known(title: str, raw: object) -> None:
    call = _call(title, raw)
    assert names_tool(call, "run_code")
    assert not names_tool(call, "run_cells")
    assert holds_arguments(call, _ARGUMENTS)
    assert not holds_arguments(call, {"code": "x = 2"})
    assert not holds_arguments(call, {})


@pytest.mark.parametrize(
    ("title", "raw"),
    [
        ("Run run_code_later", _ARGUMENTS),
        ("prerun_code", _ARGUMENTS),
        ("Approve Run code", {**_CODEX_ASKS, "server_name": "other"}),
        ("Other", None),
    ],
)
def test_another_call_is_not(title: str, raw: object) -> None:
    assert not names_tool(_call(title, raw), "run_code")
