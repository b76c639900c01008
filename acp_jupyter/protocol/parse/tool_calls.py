"""Parses tool calls and permission requests; `ParseState` is the memory this needs.

Agents name a tool in one packet of a call and not in the next, so names and kinds are remembered by
the call's id: 1,000 per session, the oldest are dropped first.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, TypeVar

from pydantic import JsonValue

from acp_jupyter.protocol.content import ToolContent, first_diff, read_tool_content
from acp_jupyter.protocol.normalise import OPTION_KINDS, RAW_OPTION_KIND
from acp_jupyter.protocol.objects import (
    Obj,
    bool_or_none,
    count,
    first,
    items,
    obj,
    text,
    text_or_none,
)
from acp_jupyter.protocol.packets import (
    Location,
    OptionPacket,
    PermissionRequest,
    PermissionResponse,
    ToolCallProgress,
    ToolCallStart,
)
from acp_jupyter.protocol.tools.inputs import patch_diffs
from acp_jupyter.protocol.tools.outputs import TerminalTexts, read_terminal
from acp_jupyter.protocol.tools.table import KIND_TOOLS, find_tool, name_in_title, tool_name_to_kind
from acp_jupyter.protocol.version_2.meta_keys import ASKED_WORDS, CAN_CANCEL, CUT
from acp_jupyter.protocol.vocabulary import AcpKind, read_acp_kind, read_status

_YES_NO = (
    OptionPacket(option_id="allow", name="Allow", kind="allow_once"),
    OptionPacket(option_id="reject", name="Reject", kind="reject_once"),
)
"""The options for a request that leaves them to the client."""


def tool_start(raw: Obj, state: ParseState) -> ToolCallStart | None:
    """ACP: tool_call. None if it has no id."""
    common = _common(raw, state)
    if common is None:
        return None
    return ToolCallStart(**common, status=read_status(raw.get("status")) or "pending")


def tool_progress(raw: Obj, state: ParseState) -> ToolCallProgress | None:
    """ACP: tool_call_update. None if it has no id."""
    common = _common(raw, state)
    if common is None:
        return None
    return ToolCallProgress(**common, status=read_status(raw.get("status")))


def tool_end(raw: Obj, state: ParseState) -> ToolCallProgress | None:
    """Read build mode's ``tool_end``: ``result`` is the output; status defaults to completed."""
    ended: Obj = {**raw, "status": read_status(raw.get("status")) or "completed"}
    if spelled(raw, "raw_output") is None:
        ended["rawOutput"] = raw.get("result")
    return tool_progress(ended, state)


def read_tool_call(raw: JsonValue, state: ParseState) -> ToolCallProgress | None:
    """Read a tool call object, such as that of a permission request."""
    return tool_progress(raw, state) if isinstance(raw, dict) else None


def _common(raw: Obj, state: ParseState) -> dict[str, Any] | None:
    tool_call_id = text(first(raw, "toolCallId", "tool_call_id"))
    if not tool_call_id:
        return None
    name = state.tool_name(tool_call_id, raw)
    kind = read_acp_kind(raw.get("kind"))
    raw_input, raw_output = spelled(raw, "raw_input"), spelled(raw, "raw_output")
    given = raw.get("content") or _mcp_content(raw_output) or raw.get("content")
    content = _with_patch(read_tool_content(given), raw_input)
    terminal_id = next((p.terminal_id for p in content or () if p.type == "terminal"), "")
    common: dict[str, Any] = {
        "tool_call_id": tool_call_id,
        "tool_name": name,
        "kind": tool_name_to_kind(name, state.kind(tool_call_id, raw)),
        "acp_kind": kind,
        "title": text_or_none(raw.get("title")),
        "name": spelled_name(raw),
        "content": content,
        "raw_input": raw_input,
        "raw_output": raw_output,
        "progress": _share(raw.get("progress")),
        "message": text_or_none(raw.get("message")),
        "parent_id": parent_id(raw),
        "terminal": read_terminal(raw, terminal_id, tool_call_id, state.terminals),
        "can_cancel": bool_or_none(obj(raw.get("_meta")).get(CAN_CANCEL)),
        "is_cut": obj(raw.get("_meta")).get(CUT) is True or None,
    }
    locations = raw.get("locations")
    if isinstance(locations, list):
        common["locations"] = tuple(
            Location(path=text(location["path"]), line=count(location.get("line")))
            for location in map(obj, locations)
            if text(location.get("path"))
        )
    return common


def _with_patch(
    content: tuple[ToolContent, ...] | None, raw_input: JsonValue
) -> tuple[ToolContent, ...] | None:
    """Add the changes of a patch that is only in the input (Cline)."""
    diffs = () if first_diff(content or ()) else patch_diffs(raw_input)
    return (*(content or ()), *diffs) if diffs else content


def _mcp_content(raw_output: JsonValue) -> JsonValue:
    """Return the content of an MCP result that is only in ``rawOutput`` (codex-acp 2)."""
    if not isinstance(raw_output, dict) or raw_output.keys() != {"result", "error"}:
        return None
    blocks: list[JsonValue] = [
        {"type": "content", "content": block}
        for block in items(obj(raw_output["result"]).get("content"))
    ]
    words = text(obj(raw_output["error"]).get("message"))
    return blocks or ([{"type": "content", "content": words}] if words else None)


def _share(value: JsonValue) -> float | None:
    """Return a fraction, clamped to 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return min(1.0, max(0.0, float(value)))


def permission_request(
    raw: Obj, state: ParseState, request_id: str | None = None
) -> PermissionRequest | None:
    """ACP: session/request_permission. None if the request has no id."""
    named = request_id or text(first(raw, "request_id", "requestId"))
    if not named:
        return None
    own = request_id is None
    raw_call = first(raw, "toolCall", "tool_call")
    options = raw.get("options")
    return PermissionRequest(
        request_id=named,
        tool_call=read_tool_call(raw_call, state) or _described(raw, raw_call, named),
        options=tuple(_option(o) for o in map(obj, options) if o)
        if isinstance(options, list)
        else _YES_NO,
        # On the wire these would be the agent's.
        auto_approve=own and first(raw, "auto_approve", "autoApprove") is True,
        action=text(first(raw, "action", "wish")) if own else "",
        reason=text(raw.get("reason")) if own else "",
        by_user=own and raw.get("by_user") is True,
        words=text(obj(raw.get("_meta")).get(ASKED_WORDS)),
    )


def _described(raw: Obj, raw_call: JsonValue, request_id: str) -> ToolCallProgress:
    """Read the call of a build mode request: operation is its title, description its content."""
    call = obj(raw_call)
    return ToolCallProgress(
        tool_call_id=f"permission-{request_id}",
        title=text_or_none(raw.get("operation")) or text_or_none(call.get("title")),
        content=read_tool_content(raw.get("description") or call.get("content")),
        acp_kind=read_acp_kind(call.get("kind")),
        raw_input=spelled(call, "raw_input"),
    )


def _option(raw: Obj) -> OptionPacket:
    option_id = text(first(raw, "optionId", "option_id"))
    raw_kind = text(obj(raw.get("_meta")).get(RAW_OPTION_KIND))
    return OptionPacket(
        option_id=option_id,
        name=text(raw.get("name")) or option_id,
        # A known kind is never stored there: the agent wrote it.
        kind=raw_kind if raw_kind and raw_kind not in OPTION_KINDS else text(raw.get("kind")),
    )


def permission_response(raw: Obj, request_id: str | None = None) -> PermissionResponse | None:
    """ACP: the outcome of a permission request. None if it names no request."""
    named = request_id or text(first(raw, "request_id", "requestId"))
    if not named:
        return None
    outcome = obj(raw.get("outcome")) or raw
    approved = raw.get("approved")
    chosen = None
    if outcome.get("outcome") != "cancelled":
        chosen = first(outcome, "optionId", "option_id")
    return PermissionResponse(
        request_id=named,
        option_id=chosen if isinstance(chosen, str) else None,
        approved=approved if isinstance(approved, bool) else None,
        reason=text(raw.get("reason")),
    )


_REMEMBERED = 1_000

_Known = TypeVar("_Known")


class ParseState:
    """Names and kinds of tools by the ids of their calls; a later title does not replace them.

    The caller owns one for each session; it is bounded, and the oldest are dropped first.
    """

    def __init__(self) -> None:
        self.terminals = TerminalTexts()
        self._names: OrderedDict[str, str] = OrderedDict()
        self._kinds: OrderedDict[str, AcpKind] = OrderedDict()

    def saved(self) -> Obj:
        """Return the state as JSON."""
        names: Obj = {**self._names}
        kinds: Obj = {**self._kinds}
        return {"names": names, "kinds": kinds, "terminals": self.terminals.saved()}

    def load(self, saved: Obj) -> None:
        """Restore a saved state.

        Raises
        ------
        ValueError
            The value is not a saved state.
        """
        self.terminals.load(obj(saved["terminals"]))
        for call, name in obj(saved["names"]).items():
            remember(self._names, call, text(name))
        for call, named in obj(saved["kinds"]).items():
            if (kind := read_acp_kind(named)) is None:
                raise ValueError(named)
            remember(self._kinds, call, kind)

    def kind(self, tool_call_id: str, raw: Obj) -> AcpKind | None:
        """Return the kind in this packet of a tool call, else the last known one."""
        kind = read_acp_kind(raw.get("kind"))
        if kind is None:
            return self._kinds.get(tool_call_id)
        remember(self._kinds, tool_call_id, kind)
        return kind

    def tool_name(self, tool_call_id: str, raw: Obj) -> str:
        """Return the table's name for a tool call's packet, or ``unknown``.

        In order of precedence: a name in ``_meta``; the first known name; name, title and input of
        this packet; its kind.
        """
        tool = find_tool(_meta_name(raw))
        if tool is not None:
            return self._remember(tool_call_id, tool.name)
        known = self._names.get(tool_call_id)
        if known is not None:
            return known
        spelled, title = spelled_name(raw), text(raw.get("title"))
        row = find_tool(spelled) or find_tool(title) or find_tool(name_in_title(title))
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
        remember(self._names, tool_call_id, name)
        return name


def remember(known: OrderedDict[str, _Known], key: str, value: _Known) -> None:
    """Add an entry; the oldest is dropped if there are too many, which loses a name at most."""
    known[key] = value
    if len(known) > _REMEMBERED:
        known.popitem(last=False)


def spelled_name(raw: Obj) -> str | None:
    """Return a tool's name in the agent's spelling; names in ``_meta`` take precedence."""
    return _meta_name(raw) or text_or_none(first(raw, *SPELLINGS["tool_name"], "name"))


def _meta_name(raw: Obj) -> str | None:
    meta = raw.get("_meta")
    if not isinstance(meta, dict):
        return None
    inner = obj(meta.get("claudeCode")).get("toolName")
    return text_or_none(first(meta, *SPELLINGS["tool_name"])) or text_or_none(inner)


PARENT_ID = "parentToolCallId"
"""Key in ``_meta``, as Qwen Code spells it; we write it, too."""


def parent_id(raw: Obj) -> str:
    """Return the id of the tool call whose subagent sent this; empty if it has none.

    Two conventions: ``_meta.claudeCode.parentToolUseId`` and ``_meta.parentToolCallId``.
    """
    meta = raw.get("_meta")
    if not isinstance(meta, dict):
        return ""
    return text(first(obj(meta.get("claudeCode")), "parentToolUseId")) or text(meta.get(PARENT_ID))


SPELLINGS: dict[str, tuple[str, ...]] = {
    "raw_input": ("raw_input", "rawInput", "tool_input", "toolInput"),
    "raw_output": ("raw_output", "rawOutput"),
    "tool_name": ("tool_name", "toolName"),
}
"""The spellings of a tool call's fields, in the order in which they are tried."""


def spelled(packet: Obj, field: str) -> JsonValue:
    """Return a field in the first of its spellings that has a value."""
    found: JsonValue = None
    for name in SPELLINGS[field]:
        value = packet.get(name)
        if value is not None and value not in ({}, [], ""):
            return value
        found = value if found is None else found
    return found


def raw_input_of(packet: Obj) -> Obj:
    """Return a tool call's input as the agent sent it; empty if it sent none."""
    return obj(spelled(packet, "raw_input"))


def is_todo_write_tool(packet: Obj) -> bool:
    """Return whether a tool call writes todos, by its title or input."""
    if text(packet.get("title")).lower() in {"todowrite", "todo_write"}:
        return True
    return isinstance(raw_input_of(packet).get("todos"), list)


def is_task_tool(packet: Obj) -> bool:
    """Return whether a tool call starts a subagent, by its title or input."""
    if text(packet.get("title")).lower() == "task":
        return True
    source = raw_input_of(packet)
    return bool(source.get("subagent_type") or source.get("subagentType"))
