"""The task that looks around: lists the folder and reads one or two text files."""

from __future__ import annotations

from pathlib import Path

from acp_jupyter.agents.demo.choose import Request
from acp_jupyter.agents.demo.files import FileAccessError
from acp_jupyter.agents.demo.quoting import code_block, plain_name
from acp_jupyter.agents.demo.turn import Turn, text_content
from acp_jupyter.agents.demo.workspace import Entry, OutsideWorkspaceError

__all__ = ["explore"]

_MAX_SHOWN = 20
_MAX_READ = 2
_MAX_EXCERPT_LINES = 12
_LANGUAGES = {
    ".py": "python",
    ".md": "markdown",
    ".json": "json",
    ".toml": "toml",
    ".js": "js",
    ".ts": "ts",
}


async def explore(turn: Turn, request: Request) -> str:
    """List, read, answer."""
    await turn.think("The folder comes first, then a file or two that say what it is about.")
    workspace = turn.session.workspace
    call = turn.tool_call(
        "List the folder",
        "search",
        "in_progress",
        locations=[{"path": str(workspace.root)}],
        rawInput={"pattern": "*"},
    )
    try:
        entries = workspace.entries()
    except OSError as error:
        turn.tool_update(call, "failed", content=[text_content(error.strerror or str(error))])
        await turn.say("The folder could not be listed, so there is nothing to show.\n")
        return "end_turn"
    listing = "\n".join(entry.name + "/" * entry.is_dir for entry in entries[:_MAX_SHOWN])
    turn.tool_update(
        call,
        "completed",
        content=[text_content(listing or "(empty)")],
        rawOutput={"entries": len(entries)},
    )
    read = [await _read(turn, name) for name in _choose(request, entries)]
    await turn.say(_answer(entries, [pair for pair in read if pair]))
    return "end_turn"


def _choose(request: Request, entries: list[Entry]) -> list[str]:
    wanted = request.names or tuple(entry.name for entry in entries if entry.is_text)
    return list(wanted[:_MAX_READ])


async def _read(turn: Turn, name: str) -> tuple[str, str] | None:
    call = None
    try:
        path = turn.session.workspace.locate(name)
        name = turn.session.workspace.relative(path)
        call = turn.tool_call(
            f"Read {plain_name(name)}",
            "read",
            "in_progress",
            locations=[{"path": str(path), "line": 1}],
            rawInput={"path": str(path)},
        )
        text = await turn.session.files.read(path)
    except OutsideWorkspaceError:
        await turn.say(f"`{plain_name(name)}` lies outside this folder and was not read.\n\n")
        return None
    except FileAccessError as error:
        if call is not None:
            turn.tool_update(call, "failed", content=[text_content(str(error))])
        return None
    excerpt = code_block(
        "\n".join(text.splitlines()[:_MAX_EXCERPT_LINES]), _LANGUAGES.get(path.suffix, "")
    )
    turn.tool_update(
        call,
        "completed",
        content=[text_content(excerpt)],
        rawOutput={"lines": len(text.splitlines())},
    )
    return name, text


def _answer(entries: list[Entry], read: list[tuple[str, str]]) -> str:
    if not entries:
        return "This folder is empty. `create notes.md` writes a first file.\n"
    noun = "entry" if len(entries) == 1 else "entries"
    text = f"## In this folder\n\n{len(entries)} {noun}.\n\n"
    text += "| Name | What | Bytes |\n| --- | --- | ---: |\n"
    for entry in entries[:_MAX_SHOWN]:
        what, size = ("folder", "") if entry.is_dir else ("file", f"{entry.size_bytes:,}")
        text += f"| `{plain_name(entry.name)}` | {what} | {size} |\n"
    if len(entries) > _MAX_SHOWN:
        text += f"\n{len(entries) - _MAX_SHOWN} more are not shown.\n"
    for name, source in read:
        lines = source.splitlines()
        excerpt = "\n".join(lines[:_MAX_EXCERPT_LINES])
        text += f"\n`{plain_name(name)}` has {len(lines)} lines and starts like this:\n\n"
        text += code_block(excerpt, _LANGUAGES.get(Path(name).suffix, ""))
    return text
