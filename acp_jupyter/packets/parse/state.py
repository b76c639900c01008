"""Which tool a packet is of, and the small memory that this needs (C18)."""

from __future__ import annotations

from collections import OrderedDict
from typing import TypeVar

from acp_jupyter.packets.detect import SPELLINGS, is_task_tool, is_todo_write_tool
from acp_jupyter.packets.json_fields import Obj, first, obj, text, text_or_none
from acp_jupyter.packets.terminal_meta import TerminalTexts
from acp_jupyter.packets.tools import KIND_TOOLS, find_tool
from acp_jupyter.packets.vocabulary import AcpKind, read_acp_kind

__all__ = ["ParseState", "spelled_name"]

_REMEMBERED = 10_000

_Known = TypeVar("_Known")


class ParseState:
    """Names and kinds of tools by the ids of their calls; a title that changes loses none.

    Owned by the caller, one for each session; bounded, the oldest go first.
    """

    def __init__(self) -> None:
        self.terminals = TerminalTexts()
        self._names: OrderedDict[str, str] = OrderedDict()
        self._kinds: OrderedDict[str, AcpKind] = OrderedDict()

    def kind(self, tool_call_id: str, raw: Obj) -> AcpKind | None:
        """Return the kind that this packet of a tool call names, or else an earlier one."""
        kind = read_acp_kind(raw.get("kind"))
        if kind is None:
            return self._kinds.get(tool_call_id)
        _remember(self._kinds, tool_call_id, kind)
        return kind

    def tool_name(self, tool_call_id: str, raw: Obj) -> str:
        """Return the table's name for a tool call's packet, or ``unknown``.

        A name in ``_meta`` wins; then the one that was told first; then name, title and input
        of this packet; then its kind.
        """
        told = find_tool(_meta_name(raw)) if "_meta" in raw else None
        if told is not None:
            return self._remember(tool_call_id, told.name)
        known = self._names.get(tool_call_id)
        if known is not None:
            return known
        spelled, title = spelled_name(raw), text(raw.get("title"))
        row = find_tool(spelled) or find_tool(title)
        if row is not None:
            return self._remember(tool_call_id, row.name)
        if is_todo_write_tool(raw):
            return self._remember(tool_call_id, "todowrite")
        if is_task_tool(raw):
            return self._remember(tool_call_id, "task")
        if spelled or title.isidentifier():
            return self._remember(tool_call_id, "unknown")  # named, but nobody knows it
        kind = self.kind(tool_call_id, raw)
        return "unknown" if kind is None else KIND_TOOLS.get(kind, "unknown")

    def _remember(self, tool_call_id: str, name: str) -> str:
        _remember(self._names, tool_call_id, name)
        return name


def _remember(known: OrderedDict[str, _Known], tool_call_id: str, value: _Known) -> None:
    known[tool_call_id] = value
    if len(known) > _REMEMBERED:
        known.popitem(last=False)


def spelled_name(raw: Obj) -> str | None:
    """Return a tool's name as the agent spells it; names in ``_meta`` win (C18)."""
    return _meta_name(raw) or text_or_none(first(raw, *SPELLINGS["tool_name"], "name"))


def _meta_name(raw: Obj) -> str | None:
    meta = raw.get("_meta")
    if not isinstance(meta, dict):
        return None
    inner = obj(meta.get("claudeCode")).get("toolName")
    return text_or_none(first(meta, *SPELLINGS["tool_name"])) or text_or_none(inner)
