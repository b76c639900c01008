"""Evidence: what is known of a tool call beyond doubt, on which a rule or a policy may answer.

Also which fields of its input a permission request must show beside what the card shows anyway, and
whether a request is a question that only a user may answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import get_args

from pydantic import JsonValue

from acp_jupyter.protocol.host_events.session import RuleKind
from acp_jupyter.protocol.normalise import OPTION_KINDS
from acp_jupyter.protocol.objects import Obj, obj, text
from acp_jupyter.protocol.tools.inputs import command_line
from acp_jupyter.protocol.tools.table import find_tool
from acp_jupyter.transcript.model.tool_items import Detail, PermissionOption, ToolCall
from acp_jupyter.transcript.raw_input import (
    DESCRIPTION_FIELDS,
    field_name,
    is_empty_value,
    local_path,
    read_command_fields,
    read_path_fields,
)

_RULE_KINDS: tuple[RuleKind, ...] = get_args(RuleKind)
_QUESTION_OPTION = re.compile(r"q\d+[_-]", re.IGNORECASE)
_QUESTION_TOOLS = frozenset(
    {
        "ask",
        "askfollowupquestion",
        "askquestion",
        "askuser",
        "askuserquestion",
        "question",
        "requestuserinput",
        "userinput",
    }
)
_FETCH = frozenset({"format", "maxlength", "prompt", "timeout", "url"})
"""Fields of what is fetched that send nothing and write nothing."""
_MOST_PATHS = 200
_MOST_DETAILS = 30
_NAME_CHARS = 100
_VALUE_CHARS = 2_000


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of a tool call beyond doubt. Other kinds than those of rules have none."""

    kind: RuleKind
    paths: tuple[str, ...] = ()
    """All that it names, relative to the session's folder where they lie inside it."""
    command: str = ""
    url: str = ""
    understood: bool = True
    """Whether no other field may change what the call does."""
    plain: bool = True
    """Whether a command is all there is: in the session's folder, and waited for."""


def evidence_of(call: ToolCall, cwd: str) -> Evidence | None:
    """Return the facts of a call; None where one is missing, or two contradict each other."""
    kind = next((kind for kind in _RULE_KINDS if kind == call.tool_kind), None)
    ours = _is_host_request(call)
    source = {} if ours else obj(call.raw_input)
    row = find_tool(call.tool_name)
    runs = row is not None and row.acp_kind == "execute"
    if kind != "execute" and (runs or (call.command and kind in {"read", "search"})):
        return None  # what a command only reads is for its user to judge
    match kind:
        case "execute":
            fields = read_command_fields(source, cwd)
            plain = not (fields.folder or fields.known or fields.unknown)
            known = Evidence(kind, command=call.command, understood=not fields.unknown, plain=plain)
            command = command_line(source)
            contradicts = bool(command) and command != call.command
            return None if ours or contradicts or not call.command else known
        case "fetch":
            return _fetch(source)
        case "read" | "search" | "edit" | "delete" | "move":
            return _with_paths(kind, call, source, cwd)
        case None:
            return None


def is_question(call: ToolCall, options: tuple[PermissionOption, ...]) -> bool:
    """Tell whether the options are answers to a question rather than a yes and a no.

    Some agents ask their users this way. Nothing but a user may answer.
    """
    once = [option for option in options if option.option_kind == "allow_once"]
    names = {re.sub(r"[^a-z]", "", words.lower()) for words in (call.tool_name, call.title)}
    silent = not (call.command or call.path or call.locations or call.diffs or call.raw_input)
    # Claude names the tools of MCP servers so, of which many take no arguments.
    is_tool = call.tool_name.startswith("mcp__")
    return (
        len(once) > 1
        or not OPTION_KINDS.issuperset(option.option_kind for option in options)
        or any(_QUESTION_OPTION.match(option.option_id) for option in options)
        or not names.isdisjoint(_QUESTION_TOOLS)
        or (call.tool_kind == "other" and silent and not is_tool)
    )


def sole_allow_once(options: tuple[PermissionOption, ...]) -> str | None:
    """Return the option that allows once, if there is exactly one."""
    once = [option.option_id for option in options if option.option_kind == "allow_once"]
    return once[0] if len(once) == 1 else None


def remaining_details(call: ToolCall, cwd: str) -> tuple[str, tuple[Detail, ...]]:
    """Return what a request says beside what a card shows of its call anyway.

    The folder of a command, empty for the session's; and fields with their values.
    """
    if _is_host_request(call):
        return "", ()
    source = obj(call.raw_input)
    if call.command:
        fields = read_command_fields(source, cwd)
        return fields.folder, _details((*fields.unknown, *fields.known))
    kind = next((kind for kind in _RULE_KINDS if kind == call.tool_kind), None)
    if kind in {None, "execute", "fetch"}:
        return "", ()  # all of the input is shown
    shown = {local_path(path, cwd) for path in _shown_paths(call)}
    fields_of_paths = read_path_fields(source, cwd, is_grep=_is_grep(call))
    left = (
        (key, source[key])
        for key, paths in fields_of_paths.by_field.items()
        if key in fields_of_paths.unclear or not paths <= shown
    )
    return "", _details(tuple(left))


def _details(fields: tuple[tuple[str, JsonValue], ...]) -> tuple[Detail, ...]:
    shown = [
        Detail(name=_cut(name, _NAME_CHARS), value=_cut(_written(value), _VALUE_CHARS))
        for name, value in fields[:_MOST_DETAILS]
    ]
    more = len(fields) - len(shown)
    return (*shown, Detail(name="…", value=f"and {more} more fields")) if more else tuple(shown)


def _written(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    # Not within a word: the half of a secret would not be recognised where this is saved.
    shown = re.sub(r"\S{1,200}\Z", "", text[:most])
    return f"{shown}… and {len(text) - len(shown)} more characters"


def _is_host_request(call: ToolCall) -> bool:
    """Tell whether the host asks: what its own tools touch is told by itself."""
    return call.permission is not None and call.permission.request_id.startswith("t")


def _is_grep(call: ToolCall) -> bool:
    row = find_tool(call.tool_name)
    return row is not None and row.name == "grep"


def _shown_paths(call: ToolCall) -> Iterator[str]:
    yield call.path
    yield from (location.path for location in call.locations)
    yield from (diff.path for diff in call.diffs)


def _with_paths(kind: RuleKind, call: ToolCall, source: Obj, cwd: str) -> Evidence | None:
    fields = read_path_fields(source, cwd, is_grep=_is_grep(call))
    shown = {local_path(path, cwd) for path in _shown_paths(call)}
    paths = {path for path in shown if path} | fields.paths
    if not 0 < len(paths) <= _MOST_PATHS:
        return None
    understood = not fields.unclear and None not in shown
    return Evidence(kind, paths=tuple(sorted(paths)), understood=understood)


def _fetch(source: Obj) -> Evidence | None:
    url = text(source.get("url"))
    left = (key for key, value in source.items() if not is_empty_value(value))
    understood = all(
        field_name(key) in _FETCH or field_name(key) in DESCRIPTION_FIELDS for key in left
    )
    return Evidence("fetch", url=url, understood=understood) if url else None
