"""What people read on a tool call: title, description, command, output."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

from pydantic import JsonValue

from acp_jupyter.packets.content import TextBlock, ToolContent, ToolContentBlock, ToolDiff, text
from acp_jupyter.packets.tools import ACP_KINDS, KIND_TITLES, AcpKind, UiKind, find_tool

__all__ = ["ToolFacts", "ToolWords", "describe_tool", "output_text", "relative_path"]

_FENCED = re.compile(r"```[\w-]*\n(.*\n)```\n?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ToolFacts:
    """Everything that is known of a tool call so far."""

    title: str
    tool_name: str
    acp_kind: str
    content: tuple[ToolContent, ...]
    paths: tuple[str, ...]
    raw_input: JsonValue
    cwd: str


@dataclass(frozen=True, slots=True)
class ToolWords:
    """What follows from it for display."""

    acp_kind: AcpKind
    ui_kind: UiKind
    title: str
    description: str
    command: str
    path: str
    is_new_file: bool | None


def describe_tool(facts: ToolFacts) -> ToolWords:
    """Decide the words of a card.

    The agent's own title is shown, unless it is a bare tool name, a path or
    the command itself: then the seed's title for that tool (C24).
    """
    row = find_tool(facts.tool_name) or find_tool(facts.title)
    kind: AcpKind = ACP_KINDS.get(facts.acp_kind) or (row.acp_kind if row else "other")
    if kind == "other" and row is not None:
        kind = row.acp_kind
    ui_kind = row.ui_kind if row else _ui_kind(kind)
    source = facts.raw_input if isinstance(facts.raw_input, dict) else {}
    diff = next((item for item in facts.content if isinstance(item, ToolDiff)), None)
    whole_path = _path(facts, source, diff)
    path = relative_path(whole_path, facts.cwd)
    command = _command(source)
    is_new = None if diff is None else diff.old_text is None
    seed_title = _seed_title(kind, row.title if row else "", is_new)
    own = facts.title.strip()
    names_path = own.startswith("/") or f"/{whole_path}".endswith(f"/{own}")
    bare = names_path or find_tool(own) is not None or own in {command, path, *facts.paths}
    said = any(char.isalnum() for char in own)
    title = seed_title if bare or not said else _inside(own, facts.cwd)
    return ToolWords(
        acp_kind=kind,
        ui_kind=ui_kind,
        title=title,
        description=_description(kind, title, path, command, source),
        command=command,
        path=path,
        is_new_file=is_new,
    )


def _ui_kind(kind: AcpKind) -> UiKind:
    match kind:
        case "search" | "read" | "execute" | "edit":
            return kind
        case _:
            return "other"


def _seed_title(kind: AcpKind, row_title: str, is_new: bool | None) -> str:
    if kind == "edit":
        return "Editing file" if is_new is False else "Writing file"
    return row_title or KIND_TITLES[kind]


def _path(facts: ToolFacts, source: dict[str, JsonValue], diff: ToolDiff | None) -> str:
    """S1.52: the input's own path first, then the diff's, then the locations'."""
    for key in ("file_path", "filePath", "filepath", "path", "abs_path"):
        if value := text(source.get(key)):
            return value
    if diff is not None and diff.path:
        return diff.path
    return facts.paths[0] if facts.paths else ""


def _command(source: dict[str, JsonValue]) -> str:
    value = source.get("command")
    if isinstance(value, list):
        words = [part for part in value if isinstance(part, str)]
        match words:
            case [_, "-c" | "-lc", script]:
                return script  # codex: the shell around a command says nothing
            case _:
                return shlex.join(words)
    return text(value) or text(source.get("cmd"))


def _description(
    kind: AcpKind, title: str, path: str, command: str, source: dict[str, JsonValue]
) -> str:
    if kind == "execute":
        words = text(source.get("description")) or command
    elif kind == "search":
        words = text(source.get("pattern")) or text(source.get("query")) or path
    elif kind == "fetch":
        words = text(source.get("url")) or text(source.get("prompt"))
    else:
        words = path or text(source.get("description"))
    return "" if words and words in title else words


def relative_path(path: str, cwd: str) -> str:
    """Make a path relative to the session's folder where it lies inside it (C17)."""
    if not path:
        return ""
    normal = path.replace("\\", "/")
    root = cwd.replace("\\", "/").rstrip("/")
    if normal == root:
        return "."
    return normal.removeprefix(root + "/") if root else normal


def _inside(words: str, cwd: str) -> str:
    """Make the paths in a title relative to the session's folder."""
    root = cwd.rstrip("/")
    if not root or root not in words:
        return words
    paths = rf"(?<![\w./-]){re.escape(root)}(/|(?![\w./-]))"
    return re.sub(paths, lambda found: "" if found[1] else ".", words)


def output_text(content: tuple[ToolContent, ...], raw_output: JsonValue) -> str:
    """Return the text that a tool call gave, from its content, else its raw output."""
    parts = [
        item.block.text
        for item in content
        if isinstance(item, ToolContentBlock) and isinstance(item.block, TextBlock)
    ]
    joined = "\n".join(_without_fence(part) for part in parts if part)
    return joined or _raw_text(raw_output)


def _without_fence(output: str) -> str:
    """Output is shown as it is, so a fence around all of it would be noise (claude)."""
    fenced = _FENCED.fullmatch(output)
    return output if fenced is None or "```" in fenced[1] else fenced[1]


def _raw_text(raw: JsonValue) -> str:
    match raw:
        case str():
            return raw
        case {"output": str(output)}:
            return output
        case {"stdout": str(stdout), "stderr": str(stderr)}:
            return stdout + stderr
        case {"stdout": str(stdout)}:
            return stdout
        case {"formatted_output": str(output)}:
            return output
        case _:
            return ""
