"""The tool calls of a turn as a tuple, rows or a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from acp_jupyter.errors import MissingPackage
from acp_jupyter.transcript.model.tool_items import ToolCall

if TYPE_CHECKING:
    from pandas import (  # type: ignore[import-untyped,import-not-found,unused-ignore]
        DataFrame,
    )


class ToolCallRow(TypedDict):
    """A tool call's row in a table, which has only some of its fields."""

    tool_call_id: str
    kind: str
    """The protocol's: ``read``, ``edit``, ``execute``, …"""
    tool: str
    title: str
    description: str
    status: str
    path: str
    command: str
    exit_code: int | None
    files_changed: int
    lines_added: int
    lines_removed: int
    permission: str
    """The result of its permission request; empty without a request."""
    output_chars: int
    parent_id: str
    """The call of the subagent that made it; empty for the agent's own."""


class ToolCalls(tuple[ToolCall, ...]):
    """A tuple of tool calls, in order, that can be made a table.

    Examples
    --------
    >>> for call in turn.tool_calls:
    ...     print(call.title, call.status)
    >>> turn.tool_calls.to_frame().groupby("kind").size()
    """

    __slots__ = ()

    def rows(self) -> list[ToolCallRow]:
        """Return a dictionary for each call, all with the same keys."""
        return [_row(call) for call in self]

    def to_frame(self) -> DataFrame:
        """Return a DataFrame with a row for each call, by its id."""
        try:
            import pandas
        except ImportError:
            raise MissingPackage(
                "This needs pandas. Run %pip install pandas, or use tool_calls.rows()."
            ) from None
        columns = list(ToolCallRow.__annotations__)
        frame = pandas.DataFrame(self.rows(), columns=columns)
        # A nullable integer, so that missing values don't turn the column into floats.
        frame["exit_code"] = frame["exit_code"].astype("Int64")
        return frame.set_index("tool_call_id")


def _row(call: ToolCall) -> ToolCallRow:
    permission = call.permission
    return ToolCallRow(
        tool_call_id=call.tool_call_id,
        kind=call.tool_kind,
        tool=call.tool_name,
        title=call.title,
        description=call.description,
        status=call.status,
        path=call.path,
        command=call.command,
        exit_code=call.exit_code,
        files_changed=len({diff.path for diff in call.diffs}),
        lines_added=sum(diff.added or 0 for diff in call.diffs),
        lines_removed=sum(diff.removed or 0 for diff in call.diffs),
        permission="" if permission is None else permission.outcome or permission.state,
        output_chars=len(call.output),
        parent_id=call.parent_id or "",
    )
