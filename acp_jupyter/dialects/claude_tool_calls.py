"""Tool calls of the Claude CLI: calls, results, edits and permission requests as ACP has them.

Also the content blocks of the Anthropic API as content blocks of the protocol.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from pydantic import JsonValue

from acp_jupyter.dialects.claude_results import PermissionRequested
from acp_jupyter.protocol.formatting import shorten
from acp_jupyter.protocol.objects import Obj, count, first, flag, items, obj, text
from acp_jupyter.protocol.tools.table import find_tool

_MAX_CALLS = 2000
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
    """Return the fields of a tool call in the protocol's form, except its id and status."""
    row = find_tool(name)
    subject = text(first(raw_input, *_SUBJECTS)).strip().partition("\n")[0]
    # For a well-known tool, its name and input say more than our words.
    title = f"{name}: {subject}" if subject and row is None else name or "Tool"
    fields: Obj = {
        "title": shorten(title, _TITLE_LENGTH),
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
            The line's ``tool_use_result``: the tool's work, in fields of its own.
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
            shown, places = applied_edits(call.name, call.raw_input, outcome)
        content: list[JsonValue] = [*shown, *_content(blocks)]
        fields = {"_meta": _meta(call.name, parent), "content": content}
        if places:
            fields["locations"] = [*places]
        return _call("tool_call_update", call_id, status, fields)

    def close(self) -> list[Obj]:
        """Return updates for the calls that will get no result."""
        left = [call_id for call_id, call in self._calls.items() if call.is_open]
        for call_id in left:
            self._calls[call_id].is_open = False
        return [_call("tool_call_update", call_id, "failed", {}) for call_id in left]

    def _remember(self, call_id: str, name: str, raw_input: Obj) -> _Call:
        if len(self._calls) >= _MAX_CALLS:
            del self._calls[next(iter(self._calls))]
        call = self._calls[call_id] = _Call(name, raw_input)
        return call


def _call(kind: str, call_id: str, status: str, fields: Obj) -> Obj:
    return {"sessionUpdate": kind, "toolCallId": call_id, "status": status, **fields}


def _meta(name: str, parent: str) -> Obj:
    claude: Obj = {"toolName": name} if name else {}
    return {"claudeCode": {**claude, "parentToolUseId": parent} if parent else claude}


def _shown(name: str, raw_input: Obj) -> list[Obj]:
    """Return the content of a call that stays visible beside its result."""
    if name == _PLAN:
        return _content(acp_blocks(text(raw_input.get("plan"))))
    return requested_edits(name, raw_input)


def _content(blocks: list[Obj]) -> list[Obj]:
    return [{"type": "content", "content": block} for block in blocks]


def _without_tags(blocks: list[Obj]) -> list[Obj]:
    """Remove the tags that are meant for the model."""
    return [
        {**block, "text": _ERROR_TAG.sub("", text(block.get("text")))}
        if block.get("type") == "text"
        else block
        for block in blocks
    ]


ALLOW = "allow"
ALWAYS = "always"
REJECT = "reject"

_MAX_WORDS = 300
_MODES = {"acceptEdits": "all edits of files", "plan": "plan mode", "default": "default mode"}
"""The modes that a suggestion may switch to, but none that never asks."""


def read_permission(request_id: str, request: Obj) -> PermissionRequested:
    """Read a ``can_use_tool`` request.

    The protocol's three options; the second only where the CLI suggests what to allow from now
    on, and where all of it can be said in words.
    """
    name, tool_input = text(request.get("tool_name")), obj(request.get("input"))
    call: Obj = {
        "toolCallId": text(request.get("tool_use_id")) or f"permission-{request_id}",
        **describe(name, tool_input, text(request.get("parent_tool_use_id"))),
    }
    options: list[Obj] = [{"optionId": ALLOW, "name": "Allow", "kind": "allow_once"}]
    grants: dict[str, list[Obj]] = {}
    suggestions = [obj(each) for each in items(request.get("permission_suggestions"))]
    words = [_suggestion_text(suggestion) for suggestion in suggestions]
    label = f"Allow for this session: {', '.join(words)}"
    if words and all(words) and len(label) <= _MAX_WORDS:
        options.append({"optionId": ALWAYS, "name": label, "kind": "allow_always"})
        # For this session: a click must not write settings into the user's folder.
        grants[ALWAYS] = [{**each, "destination": "session"} for each in suggestions]
    options.append({"optionId": REJECT, "name": "Reject", "kind": "reject_once"})
    params: Obj = {"toolCall": call, "options": [*options]}
    return PermissionRequested(request_id, params, tool_input, grants, name)


def _suggestion_text(suggestion: Obj) -> str:
    """Return what a suggestion would allow; nothing if that is unknown."""
    match suggestion:
        case {"type": "addRules", "behavior": "allow", "rules": list(rules)}:
            words = [_rule(obj(rule)) for rule in rules]
            return ", ".join(words) if all(words) else ""
        case {"type": "addDirectories", "directories": list(folders)}:
            named = [text(folder) for folder in folders]
            return f"files in {', '.join(named)}" if named and all(named) else ""
        case {"type": "setMode", "mode": str(mode)}:
            return _MODES.get(mode, "")
        case _:
            return ""


def _rule(rule: Obj) -> str:
    name, content = text(rule.get("toolName")), text(rule.get("ruleContent"))
    return f"{name}({content})" if name and content else name


_MAX_PARTS = 200


def requested_edits(name: str, raw_input: Obj) -> list[Obj]:
    """Return the edits that a call requests; the former text is only known in part."""
    path = text(raw_input.get("file_path"))
    if not path:
        return []
    match name:
        case "Write":
            return [_diff(path, None, text(raw_input.get("content")))]
        case "Edit":
            return [_edit(path, raw_input)]
        case "MultiEdit":
            return [_edit(path, obj(edit)) for edit in items(raw_input.get("edits"))]
        case _:
            return []


def applied_edits(name: str, raw_input: Obj, outcome: Obj) -> tuple[list[Obj], list[Obj]]:
    """Return the edits that a call made, and the line of each in the file."""
    asked = requested_edits(name, raw_input)
    before = outcome.get("originalFile")
    if name == "Write" and len(asked) == 1 and isinstance(before, str):
        return [{**asked[0], "oldText": before}], []
    hunks = [obj(hunk) for hunk in items(outcome.get("structuredPatch"))]
    if name == "Write" or not asked or not 0 < len(hunks) <= _MAX_PARTS:
        return asked, []
    path = text(raw_input.get("file_path"))
    return [_part(path, hunk) for hunk in hunks], [
        {"path": path, "line": max(1, count(hunk.get("newStart")) or 1)} for hunk in hunks
    ]


def _part(path: str, hunk: Obj) -> Obj:
    lines = [text(line) for line in items(hunk.get("lines"))]
    old, new = ("\n".join(_side(lines, without)) for without in ("+", "-"))
    return _diff(path, old, new)


def _side(lines: list[str], without: str) -> list[str]:
    """Return one side of a patch; a line with a backslash only marks a missing line end."""
    return [line[1:] for line in lines if not line.startswith((without, "\\"))]


def _edit(path: str, edit: Obj) -> Obj:
    return _diff(path, text(edit.get("old_string")), text(edit.get("new_string")))


def _diff(path: str, old: str | None, new: str) -> Obj:
    return {"type": "diff", "path": path, "oldText": old, "newText": new}


def acp_blocks(content: JsonValue) -> list[Obj]:
    """Return a string, a block or a list of them as content blocks, without omissions."""
    if content is None or content == "":
        return []
    if isinstance(content, list):
        return [block for item in content for block in acp_blocks(item)]
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [_block(content) if isinstance(content, dict) else _as_text(content)]


def _block(block: Obj) -> Obj:
    match block:
        case {"type": "text", "text": str(words)}:
            return {"type": "text", "text": words}
        case {"type": "image", "source": {"type": "base64", "data": str(data)}}:
            kind = text(obj(block.get("source")).get("media_type"))
            return {"type": "image", "data": data, "mimeType": kind}
        case {"type": "image", "source": {"type": "url", "url": str(url)}}:
            return {"type": "resource_link", "uri": url, "name": "image"}
        case {"type": "document", "title": str(title)}:
            return {"type": "text", "text": title}
        case {"type": "web_search_result", "url": str(url)}:
            name = text(block.get("title")) or url
            return {"type": "resource_link", "uri": url, "name": name}
        case _:
            return _as_text(obj(block))


def _as_text(value: JsonValue) -> Obj:
    return {"type": "text", "text": json.dumps(value, ensure_ascii=False)}
