"""The Claude CLI's question whether a tool may be used (C21)."""

from __future__ import annotations

from acp_jupyter.packets.dialects.claude_cli.results import PermissionAsked
from acp_jupyter.packets.dialects.claude_cli.tools import describe
from acp_jupyter.packets.json_fields import Obj, items, obj, text

__all__ = ["ALLOW", "ALWAYS", "REJECT", "read_permission"]

ALLOW = "allow"
ALWAYS = "always"
REJECT = "reject"

_MOST_WORDS = 300
_MODES = {"acceptEdits": "all edits of files", "plan": "plan mode", "default": "default mode"}
"""What a suggestion may switch to; never a mode that stops asking altogether."""


def read_permission(request_id: str, request: Obj) -> PermissionAsked:
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
    words = [_words(suggestion) for suggestion in suggestions]
    label = f"Allow for this session: {', '.join(words)}"
    if words and all(words) and len(label) <= _MOST_WORDS:
        options.append({"optionId": ALWAYS, "name": label, "kind": "allow_always"})
        # For this session: a click must not write settings into the user's folder.
        grants[ALWAYS] = [{**each, "destination": "session"} for each in suggestions]
    options.append({"optionId": REJECT, "name": "Reject", "kind": "reject_once"})
    params: Obj = {"toolCall": call, "options": [*options]}
    return PermissionAsked(request_id, params, tool_input, grants, name)


def _words(suggestion: Obj) -> str:
    """Return what a suggestion would allow; nothing where that is not known."""
    match suggestion:
        case {"type": "addRules", "behavior": "allow", "rules": list(rules)}:
            said = [_rule(obj(rule)) for rule in rules]
            return ", ".join(said) if all(said) else ""
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
