"""What a permission request contains: the details that its card shows, and evidence for rules.

`contents_of` reads a tool call once for the card, the rules and the policy. A field of its input
that is not understood is shown, and then only a user may allow the request. Rules and policies
answer on evidence, which is known beyond doubt. A question is for the user alone to answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

from pydantic import JsonValue

from acp_jupyter.protocol.host_events.session import RuleKind
from acp_jupyter.protocol.normalise import OPTION_KINDS
from acp_jupyter.protocol.objects import Obj, items, obj, text
from acp_jupyter.protocol.tools.inputs import command_line
from acp_jupyter.protocol.tools.table import find_tool
from acp_jupyter.transcript.model.tool_items import Detail, Diff, PermissionOption, ToolCall
from acp_jupyter.transcript.raw_input import (
    DESCRIPTION_FIELDS,
    FieldContents,
    field_name,
    is_empty_value,
    is_label,
    is_off,
    local_path,
    read_command_fields,
    read_path_fields,
)
from acp_jupyter.transcript.secret_patterns import REDACTED

_FileKind = Literal["read", "search", "edit", "delete", "move"]
_FILE_KINDS: tuple[_FileKind, ...] = get_args(_FileKind)
_QUESTION_OPTION = re.compile(r"q\d+[_-]", re.IGNORECASE)
_LONGEST_NAME = 200
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
_MAX_PATHS = 200
_MAX_DETAILS = 1_000
_MAX_CHARS = 1_000_000
"""Most characters of all names and values together; the rest is not shown."""
_PLAIN_WORD = re.compile(r'[^\s,"]+')
_COMMANDS = frozenset({"cmd", "command", "commands"})


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of a tool call beyond doubt. Only kinds that rules can name have evidence."""

    kind: RuleKind
    paths: tuple[str, ...] = ()
    """All paths that the call names; those inside the session's folder are relative to it."""
    command: str = ""
    url: str = ""
    clear: bool = True
    """Whether ``paths`` is complete."""
    plain: bool = True
    """Whether the command runs in the session's folder, in the foreground, with no more fields."""


@dataclass(frozen=True, slots=True)
class Contents:
    """All that a permission request contains."""

    evidence: Evidence | None = None
    """None if a fact is missing, or if two contradict each other."""
    understood: bool = True
    """Whether the meaning of every field is known."""
    folder: str = ""
    """The folder of a command; empty for the session's folder."""
    details: tuple[Detail, ...] = ()
    """The fields that the card doesn't show elsewhere."""
    too_large: bool = False
    """Whether there are more details than can be shown."""


def contents_of(call: ToolCall, cwd: str) -> Contents:
    """Return all that the permission request of a tool call contains."""
    found = _contents(call, cwd)
    evidence = found.evidence
    if call.permission is not None and call.permission.too_large:
        # A rule may still deny the call, by the facts that are known.
        doubtful = None if evidence is None else replace(evidence, clear=False, plain=False)
        return replace(found, evidence=doubtful, understood=False, too_large=True)
    named = () if evidence is None else (evidence.command, evidence.url, *evidence.paths)
    if any(REDACTED in text for text in (*named, found.folder)):
        return replace(found, understood=False)  # the user doesn't see the redacted part
    return found


def _contents(call: ToolCall, cwd: str) -> Contents:
    raw_input = call.raw_input
    if not (isinstance(raw_input, dict) or is_empty_value(raw_input)):
        return _of_other_input(call, raw_input)
    source = obj(raw_input)
    if _is_of_notebook_tool(call):
        return _of_notebook_tool(call, source, cwd)
    row = find_tool(call.tool_name)
    runs = row is not None and row.acp_kind == "execute"
    kind = _file_kind(call)
    # A command that its agent calls a read or a search gets no evidence: the user decides.
    if call.command and (runs or kind in {None, "read", "search"}):
        return _of_command(call, source, cwd)
    found = _of_fields(call, source, cwd)
    return replace(found, evidence=None) if runs else found


def _of_other_input(call: ToolCall, raw_input: JsonValue) -> Contents:
    """Return the contents of an input that is a text, a number or a list: never understood."""
    if isinstance(raw_input, str) and raw_input == call.command:
        return Contents(understood=False)
    details, too_large = _details([("input", raw_input)])
    return Contents(understood=False, details=details, too_large=too_large)


def _of_notebook_tool(call: ToolCall, source: Obj, cwd: str) -> Contents:
    """Return the contents of a call that the host carries out: its paths and diff say it all."""
    kind = _file_kind(call)
    evidence = None if kind is None else _with_paths(kind, call, {}, cwd)
    left = [] if call.command or call.diffs else _not_in(source.items(), _shown_texts(call))
    details, too_large = _details(left)
    return Contents(evidence, details=details, too_large=too_large)


def _of_command(call: ToolCall, source: Obj, cwd: str) -> Contents:
    fields = read_command_fields(source, cwd)
    command = command_line(source)
    contradicts = bool(command) and command != call.command
    understood = not (fields.unknown or contradicts)
    plain = not (fields.folder or fields.known or fields.unknown)
    evidence = None
    if call.tool_kind == "execute" and not contradicts:
        evidence = Evidence("execute", command=call.command, plain=plain)
    left = [*fields.unknown, *fields.known]
    if contradicts:
        left += [(key, value) for key, value in source.items() if field_name(key) in _COMMANDS]
    details, too_large = _details(left)
    return Contents(evidence, understood, fields.folder, details, too_large)


def _of_fields(call: ToolCall, source: Obj, cwd: str) -> Contents:
    texts = _shown_texts(call)
    kind = _file_kind(call)
    if kind is None:
        details, too_large = _details(_not_in(source.items(), texts))
        url = text(source.get("url")) if call.tool_kind == "fetch" else ""
        evidence = Evidence("fetch", url=url) if url else None
        understood = not details if evidence is None else _is_plain_fetch(source)
        return Contents(evidence, understood, "", details, too_large)
    fields = read_path_fields(source, cwd, is_grep=_is_grep(call))
    paths = {local_path(path, cwd) for path in _shown_paths(call)}
    left = [
        (key, value)
        for key, value in _not_in(source.items(), texts)
        if not (
            is_label(field_name(key), value)
            or is_off(field_name(key), value)
            or _is_shown(fields[key], paths, call.diffs)
        )
    ]
    details, too_large = _details(left)
    understood = all(found.is_known for found in fields.values())
    evidence = _with_paths(kind, call, fields, cwd)
    return Contents(evidence, understood, "", details, too_large)


def _file_kind(call: ToolCall) -> _FileKind | None:
    return next((kind for kind in _FILE_KINDS if kind == call.tool_kind), None)


def _shown_texts(call: ToolCall) -> set[str]:
    """Return the texts that the card shows in full."""
    reason = "" if call.permission is None else call.permission.reason
    return {call.title, call.description, reason, *_shown_paths(call)}


def _not_in(
    fields: Iterable[tuple[str, JsonValue]], texts: set[str]
) -> Iterator[tuple[str, JsonValue]]:
    """Yield the fields that are not empty, and whose value is not one of the texts."""
    for key, value in fields:
        if not is_empty_value(value) and not (isinstance(value, str) and value in texts):
            yield key, value


def _is_shown(found: FieldContents, paths: set[str | None], diffs: tuple[Diff, ...]) -> bool:
    """Return whether the card's paths and diffs already show all that a field says."""
    if found.is_set or not (found.is_known and found.is_clear and found.paths <= paths):
        return False
    if not (found.texts or found.patches):
        return bool(found.paths)
    sides = [side for diff in diffs for side in (diff.old_text, diff.new_text) if side]
    if not all(any(text in side for side in sides) for text in found.texts):
        return False
    lines = {line for side in sides for line in side.splitlines()} if found.patches else set()
    return all(_changed_lines(patch) <= lines for patch in found.patches)


def _changed_lines(patch: str) -> set[str]:
    """Return the lines that a patch adds or removes."""
    return {
        line[1:]
        for line in patch.splitlines()
        if line.startswith(("+", "-")) and not line.startswith(("+++ ", "--- "))
    }


def is_question(call: ToolCall, options: tuple[PermissionOption, ...]) -> bool:
    """Return whether the options are answers to a question rather than a yes and a no.

    Some agents ask questions this way. Only a user may answer one.
    """
    once = [option for option in options if option.option_kind == "allow_once"]
    short = (words for words in (call.tool_name, call.title) if len(words) <= _LONGEST_NAME)
    names = {re.sub(r"[^a-z]", "", words.lower()) for words in short}
    silent = not (call.command or call.path or call.locations or call.diffs or call.raw_input)
    # Claude's prefix for the tools of MCP servers. Many take no arguments.
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


def _details(fields: Iterable[tuple[str, JsonValue]]) -> tuple[tuple[Detail, ...], bool]:
    """Return the fields as the card shows them, and whether some had to be left out."""
    shown: list[Detail] = []
    left = _MAX_CHARS
    for name, value in fields:
        words = _written(value)
        left -= len(name) + len(words)
        if left < 0 or len(shown) == _MAX_DETAILS:
            return tuple(shown), True
        shown.append(Detail(name=name, value=words))
    return tuple(shown), False


def _written(value: JsonValue) -> str:
    if isinstance(value, str):
        return value
    words = [each for each in items(value) if isinstance(each, str) and _PLAIN_WORD.fullmatch(each)]
    if words and words == value:
        return ", ".join(words)
    return json.dumps(value, ensure_ascii=False)


def _is_of_notebook_tool(call: ToolCall) -> bool:
    """Return whether the host made the request, for one of its notebook tools."""
    return call.permission is not None and call.permission.request_id.startswith("t")


def _is_grep(call: ToolCall) -> bool:
    row = find_tool(call.tool_name)
    return row is not None and row.name == "grep"


def _shown_paths(call: ToolCall) -> Iterator[str]:
    yield call.path
    yield from (location.path for location in call.locations)
    yield from (diff.path for diff in call.diffs)


def _with_paths(
    kind: _FileKind, call: ToolCall, fields: Mapping[str, FieldContents], cwd: str
) -> Evidence | None:
    shown = {local_path(path, cwd) for path in _shown_paths(call)}
    paths = {path for path in shown if path}.union(*(found.paths for found in fields.values()))
    if not 0 < len(paths) <= _MAX_PATHS:
        return None
    clear = None not in shown and all(found.is_clear for found in fields.values())
    return Evidence(kind, paths=tuple(sorted(paths)), clear=clear)


def _is_plain_fetch(source: Obj) -> bool:
    """Return whether all fields are about what is fetched: none sends or writes anything."""
    names = (field_name(key) for key, value in source.items() if not is_empty_value(value))
    return all(name in _FETCH or name in DESCRIPTION_FIELDS for name in names)
