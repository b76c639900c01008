"""What a permission request contains: all that its card shows, and what rules and policies look at.

`contents_of` reads a tool call once for all three. A field of its input that is not understood is
shown, and only a user may allow the request. Evidence is what is known beyond doubt, on which a
rule or a policy may answer. A request may also be a question, which only a user may answer.
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
_MOST_PATHS = 200
_MOST_DETAILS = 1_000
_MOST_CHARS = 1_000_000
"""Of all names and values together; of a request with more, the rest is not shown."""
_PLAIN_WORD = re.compile(r'[^\s,"]+')
_COMMANDS = frozenset({"cmd", "command", "commands"})


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of a tool call beyond doubt. Other kinds than those of rules have none."""

    kind: RuleKind
    paths: tuple[str, ...] = ()
    """All that it names, relative to the session's folder where they lie inside it."""
    command: str = ""
    url: str = ""
    clear: bool = True
    """Whether these are all paths that it names."""
    plain: bool = True
    """Whether a command is all there is: in the session's folder, and waited for."""


@dataclass(frozen=True, slots=True)
class Contents:
    """All that a permission request contains."""

    evidence: Evidence | None = None
    """None where a fact is missing, or two contradict each other."""
    understood: bool = True
    """Whether no field may do what nobody here knows of."""
    folder: str = ""
    """Where a command would run; empty for the session's folder."""
    details: tuple[Detail, ...] = ()
    """The fields that its card does not show in another way."""
    too_large: bool = False
    """Whether there are more of them than can be shown."""


def contents_of(call: ToolCall, cwd: str) -> Contents:
    """Return all that the permission request of a tool call contains.

    Parameters
    ----------
    call
        The tool call with all that is known of it.
    cwd
        The session's folder.
    """
    found = _contents(call, cwd)
    evidence = found.evidence
    if call.permission is not None and call.permission.too_large:
        # A rule may still forbid what is known of it.
        doubtful = None if evidence is None else replace(evidence, clear=False, plain=False)
        return replace(found, evidence=doubtful, understood=False, too_large=True)
    named = () if evidence is None else (evidence.command, evidence.url, *evidence.paths)
    if any(REDACTED in text for text in (*named, found.folder)):
        return replace(found, understood=False)  # nobody sees what is there
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
    # What a command only reads is for its user to judge.
    if call.command and (runs or kind in {None, "read", "search"}):
        return _of_command(call, source, cwd)
    found = _of_fields(call, source, cwd)
    return replace(found, evidence=None) if runs else found


def _of_other_input(call: ToolCall, raw_input: JsonValue) -> Contents:
    """Of a text, a number or a list. It is shown, and not understood."""
    if isinstance(raw_input, str) and raw_input == call.command:
        return Contents(understood=False)
    details, too_large = _details([("input", raw_input)])
    return Contents(understood=False, details=details, too_large=too_large)


def _of_notebook_tool(call: ToolCall, source: Obj, cwd: str) -> Contents:
    """Of a call that the host does itself: all that it does is told by its paths and its diff."""
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
    """Return what the card says of a call in whole lines."""
    reason = "" if call.permission is None else call.permission.reason
    return {call.title, call.description, reason, *_shown_paths(call)}


def _not_in(
    fields: Iterable[tuple[str, JsonValue]], texts: set[str]
) -> Iterator[tuple[str, JsonValue]]:
    """Yield the fields that are neither empty nor one of these texts."""
    for key, value in fields:
        if not is_empty_value(value) and not (isinstance(value, str) and value in texts):
            yield key, value


def _is_shown(found: FieldContents, paths: set[str | None], diffs: tuple[Diff, ...]) -> bool:
    """Return whether a card shows all that a field says, by its paths and its diffs."""
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

    Some agents ask their users this way. Nothing but a user may answer.
    """
    once = [option for option in options if option.option_kind == "allow_once"]
    short = (words for words in (call.tool_name, call.title) if len(words) <= _LONGEST_NAME)
    names = {re.sub(r"[^a-z]", "", words.lower()) for words in short}
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


def _details(fields: Iterable[tuple[str, JsonValue]]) -> tuple[tuple[Detail, ...], bool]:
    """Return fields as they are shown, and whether there are more than can be."""
    shown: list[Detail] = []
    left = _MOST_CHARS
    for name, value in fields:
        words = _written(value)
        left -= len(name) + len(words)
        if left < 0 or len(shown) == _MOST_DETAILS:
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
    """Return whether the host asks for a notebook tool of its own."""
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
    if not 0 < len(paths) <= _MOST_PATHS:
        return None
    clear = None not in shown and all(found.is_clear for found in fields.values())
    return Evidence(kind, paths=tuple(sorted(paths)), clear=clear)


def _is_plain_fetch(source: Obj) -> bool:
    """Return whether all fields are about what is fetched: none sends or writes anything."""
    names = (field_name(key) for key, value in source.items() if not is_empty_value(value))
    return all(name in _FETCH or name in DESCRIPTION_FIELDS for name in names)
