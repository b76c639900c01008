"""The Claude CLI's tools: calls and results, as updates of the protocol."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pydantic import JsonValue

from acp_jupyter.packets.dialects.claude_cli.blocks import acp_blocks
from acp_jupyter.packets.dialects.claude_cli.edits import asked_edits, done_edits
from acp_jupyter.packets.json_fields import Obj, first, flag, obj, text
from acp_jupyter.packets.tools import find_tool

__all__ = ["ToolCalls", "describe"]

_MOST_CALLS = 2000
_TITLE_LENGTH = 120
_PLAN = "ExitPlanMode"
_SUBJECTS = (
    "file_path", "notebook_path", "path", "command", "pattern", "query", "url", "description",
)  # fmt: skip
_PATHS = ("file_path", "notebook_path", "path")
_ERROR_TAG = re.compile(r"</?tool_use_error>")


@dataclass(slots=True)
class _Call:
    name: str
    raw_input: Obj
    is_open: bool = True


def describe(name: str, raw_input: Obj, parent: str = "") -> Obj:
    """Return what a tool call object of the protocol says of a call, but its id and status."""
    row = find_tool(name)
    subject = text(first(raw_input, *_SUBJECTS)).strip().partition("\n")[0]
    # Of a tool that everybody knows, name and input say more than words of ours.
    title = f"{name}: {subject}" if subject and row is None else name or "Tool"
    fields: Obj = {
        "title": title if len(title) <= _TITLE_LENGTH else f"{title[: _TITLE_LENGTH - 1]}…",
        "kind": "other" if row is None else row.acp_kind,
        "_meta": _meta(name, parent),
    }
    if raw_input:
        fields["rawInput"] = raw_input
    if path := text(first(raw_input, *_PATHS)):
        fields["locations"] = [{"path": path}]
    if shown := _shown(name, raw_input):
        fields["content"] = [*shown]
    return fields


class ToolCalls:
    """The tool calls of one CLI log, by their ids."""

    def __init__(self) -> None:
        self._calls: dict[str, _Call] = {}

    def announce(self, block: Obj, parent: str) -> Obj | None:
        """Return the update for a call whose input is still being written."""
        call_id, name = text(block.get("id")), text(block.get("name"))
        if not call_id or call_id in self._calls:
            return None
        self._remember(call_id, name, {})
        return _call("tool_call", call_id, "pending", describe(name, {}, parent))

    def use(self, block: Obj, parent: str) -> Obj:
        """Return the update for a ``tool_use`` block."""
        name, raw_input = text(block.get("name")), obj(block.get("input"))
        call_id = text(block.get("id")) or f"call-{len(self._calls)}"
        kind = "tool_call_update" if call_id in self._calls else "tool_call"
        self._remember(call_id, name, raw_input)
        return _call(kind, call_id, "in_progress", describe(name, raw_input, parent))

    def result(self, block: Obj, parent: str, outcome: Obj) -> Obj:
        """Return the update for a ``tool_result`` block.

        Parameters
        ----------
        outcome
            The line's ``tool_use_result``: what the tool did, in fields of its own.
        """
        call_id = text(first(block, "tool_use_id", "id")) or f"call-{len(self._calls)}"
        failed = flag(block.get("is_error"))
        status = "failed" if failed else "completed"
        blocks = acp_blocks(block.get("content"))
        if failed:
            blocks = _without_tags(blocks)
        call = self._calls.get(call_id)
        if call is None:
            # Its call was before the log began: it is shown all the same.
            self._remember(call_id, "", {}).is_open = False
            fields: Obj = {"title": "Tool", "kind": "other", "_meta": _meta("", parent)}
            return _call("tool_call", call_id, status, {**fields, "content": [*_content(blocks)]})
        call.is_open = False
        shown, places = _shown(call.name, call.raw_input), list[Obj]()
        if not failed and call.name != _PLAN:
            shown, places = done_edits(call.name, call.raw_input, outcome)
        content: list[JsonValue] = [*shown, *_content(blocks)]
        fields = {"_meta": _meta(call.name, parent), "content": content}
        if places:
            fields["locations"] = [*places]
        return _call("tool_call_update", call_id, status, fields)

    def close(self) -> list[Obj]:
        """Return updates for the calls that will have no result any more."""
        left = [call_id for call_id, call in self._calls.items() if call.is_open]
        for call_id in left:
            self._calls[call_id].is_open = False
        return [_call("tool_call_update", call_id, "failed", {}) for call_id in left]

    def _remember(self, call_id: str, name: str, raw_input: Obj) -> _Call:
        if len(self._calls) >= _MOST_CALLS:
            del self._calls[next(iter(self._calls))]
        call = self._calls[call_id] = _Call(name, raw_input)
        return call


def _call(kind: str, call_id: str, status: str, fields: Obj) -> Obj:
    return {"sessionUpdate": kind, "toolCallId": call_id, "status": status, **fields}


def _meta(name: str, parent: str) -> Obj:
    claude: Obj = {"toolName": name} if name else {}
    return {"claudeCode": {**claude, "parentToolUseId": parent} if parent else claude}


def _shown(name: str, raw_input: Obj) -> list[Obj]:
    """Return what a call itself has to show, and keeps showing beside its result."""
    if name == _PLAN:
        return _content(acp_blocks(text(raw_input.get("plan"))))
    return asked_edits(name, raw_input)


def _content(blocks: list[Obj]) -> list[Obj]:
    return [{"type": "content", "content": block} for block in blocks]


def _without_tags(blocks: list[Obj]) -> list[Obj]:
    """Take away the tags that are meant for the model."""
    return [
        {**block, "text": _ERROR_TAG.sub("", text(block.get("text")))}
        if block.get("type") == "text"
        else block
        for block in blocks
    ]
