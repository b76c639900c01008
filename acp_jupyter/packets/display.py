"""What people read on a tool call: title, description, command, output."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass

from pydantic import JsonValue

from acp_jupyter.packets.content import TextBlock, ToolContent, ToolContentBlock, ToolDiff, text
from acp_jupyter.packets.tools import ACP_KINDS, KIND_TITLES, AcpKind, UiKind, find_tool

__all__ = ["ToolFacts", "ToolWords", "describe_tool", "output_text", "relative_path"]


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
    path = relative_path(_path(facts, source, diff), facts.cwd)
    command = _command(source)
    is_new = None if diff is None else diff.old_text is None
    seed_title = _seed_title(kind, row.title if row else "", is_new)
    own = facts.title.strip()
    bare = not own or find_tool(own) is not None or own in {command, path, *facts.paths}
    bare = bare or own.startswith("/") or own == posixpath.basename(path)
    title = seed_title if bare else own
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
        return " ".join(part for part in value if isinstance(part, str))
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


def output_text(content: tuple[ToolContent, ...], raw_output: JsonValue) -> str:
    """Return the text that a tool call gave, from its content, else its raw output."""
    parts = [
        item.block.text
        for item in content
        if isinstance(item, ToolContentBlock) and isinstance(item.block, TextBlock)
    ]
    joined = "\n".join(part for part in parts if part)
    return joined or _raw_text(raw_output)


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
