"""What a permission request proves: the facts on which something else than a user may answer.

Pure: what lies on disk behind a path is looked at elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import get_args

from pydantic import JsonValue

from acp_jupyter.packets.json_fields import Obj, items, obj, text
from acp_jupyter.packets.paths import relative_path
from acp_jupyter.packets.permission_notes import RuleKind
from acp_jupyter.packets.tools import find_tool
from acp_jupyter.transcript.items import PermissionOption, ToolCall

__all__ = ["Evidence", "evidence_of", "is_question", "sole_allow_once"]

_RULE_KINDS: tuple[RuleKind, ...] = get_args(RuleKind)
_OPTION_KINDS = frozenset({"allow_once", "allow_always", "reject_once", "reject_always"})
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
_PATH_KEYS = frozenset(
    {
        "absolutepath",
        "destination",
        "directory",
        "filename",
        "filepath",
        "newpath",
        "notebookpath",
        "oldpath",
        "path",
        "source",
        "target",
        "targetfile",
    }
)
_LIST_KEYS = frozenset({"changes", "edits", "files", "paths"})
_SHELLS = frozenset({"bash", "dash", "sh", "zsh"})
_MOST_PATHS = 200


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of a tool call beyond doubt. Other kinds than those of rules have none."""

    kind: RuleKind
    paths: tuple[str, ...] = ()
    """All that it names, relative to the session's folder where they lie inside it."""
    command: str = ""
    url: str = ""


def evidence_of(call: ToolCall, cwd: str) -> Evidence | None:
    """Return the facts of a call; None where one is missing, or two contradict each other."""
    kind = next((kind for kind in _RULE_KINDS if kind == call.tool_kind), None)
    ours = call.permission is not None and call.permission.request_id.startswith("t")
    # What the host's own tools touch is told by itself; their arguments are no paths or commands.
    source = {} if ours else obj(call.raw_input)
    if kind is None:
        return None
    row = find_tool(call.tool_name)
    runs = row is not None and row.acp_kind == "execute"
    if kind != "execute" and (runs or (call.command and kind in {"read", "search"})):
        return None  # what a command only reads is for its user to judge
    match kind:
        case "execute":
            known = call.command and not ours and not _other_program(source)
            return Evidence(kind, command=call.command) if known else None
        case "fetch":
            url = text(source.get("url"))
            return Evidence(kind, url=url) if url else None
        case "read" | "search" | "edit" | "delete" | "move":
            paths = _paths(call, source, cwd)
            return Evidence(kind, paths=paths) if 0 < len(paths) <= _MOST_PATHS else None


def is_question(call: ToolCall, options: tuple[PermissionOption, ...]) -> bool:
    """Tell whether the options are answers to a question rather than a yes and a no.

    Some agents ask their users this way. Nothing but a user may answer.
    """
    once = [option for option in options if option.option_kind == "allow_once"]
    names = {re.sub(r"[^a-z]", "", words.lower()) for words in (call.tool_name, call.title)}
    silent = not (call.command or call.path or call.locations or call.diffs or call.raw_input)
    return (
        len(once) > 1
        or not _OPTION_KINDS.issuperset(option.option_kind for option in options)
        or any(_QUESTION_OPTION.match(option.option_id) for option in options)
        or not names.isdisjoint(_QUESTION_TOOLS)
        or (call.tool_kind == "other" and silent)
    )


def sole_allow_once(options: tuple[PermissionOption, ...]) -> str | None:
    """Return the option that allows once, if there is exactly one."""
    once = [option.option_id for option in options if option.option_kind == "allow_once"]
    return once[0] if len(once) == 1 else None


def _other_program(source: Obj) -> bool:
    """Tell whether the command that is shown is only what some program is given."""
    words = source.get("command", source.get("cmd"))
    match words:
        case [str(program), "-c" | "-lc", str()]:
            return PurePosixPath(program).name not in _SHELLS
        case list():
            return not all(isinstance(word, str) for word in words)
        case _:
            return False


def _paths(call: ToolCall, source: Obj, cwd: str) -> tuple[str, ...]:
    named = {
        call.path,
        *(place.path for place in call.locations),
        *(diff.path for diff in call.diffs),
        *_named_paths(source),
    }
    return tuple(sorted({relative_path(path, cwd) for path in named if path}))


def _named_paths(source: Obj) -> Iterator[str]:
    """Yield the paths that an input names, by the names that such fields have."""
    for key, value in source.items():
        name = re.sub(r"[^a-z]", "", key.lower())
        if name in _PATH_KEYS:
            yield text(value)
        elif name in _LIST_KEYS:
            yield from obj(value)
            yield from _listed_paths(items(value))


def _listed_paths(values: list[JsonValue]) -> Iterator[str]:
    for value in values:
        yield text(value)
        for key, inner in obj(value).items():
            if re.sub(r"[^a-z]", "", key.lower()) in _PATH_KEYS:
                yield text(inner)
