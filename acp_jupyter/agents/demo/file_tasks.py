"""The tasks on files: look around; edit or create: propose, ask, and write only when allowed."""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import dataclass
from pathlib import Path

from acp_jupyter.agents.demo.edits import Edit, new_file, propose
from acp_jupyter.agents.demo.prompt import Request
from acp_jupyter.agents.demo.session import Answer, DemoTurn, text_content
from acp_jupyter.agents.demo.talk_tasks import code_block, describe, excerpt, plain_name
from acp_jupyter.agents.demo.workspace import Entry, FileAccessError, OutsideWorkspaceError
from acp_jupyter.agents.rpc import Json

_MAX_SHOWN = 20
_MAX_READ = 2


async def explore(turn: DemoTurn, request: Request) -> str:
    """Read the files named in the prompt, and describe them; without names, look around."""
    if request.names:
        await turn.think("The files you named are the best place to start.")
        names, listing = list(request.names), ""
    else:
        await turn.think("The folder comes first, then a file or two that say what it is about.")
        try:
            entries = await _list_folder(turn)
        except OSError:
            await turn.say("The folder could not be listed, so there is nothing to show.\n")
            return "end_turn"
        names = [entry.name for entry in entries if entry.is_text]
        listing = _listing(entries)
    read = [await _read_excerpt(turn, name) for name in names[:_MAX_READ]]
    described = [describe(name, source) for name, source in filter(None, read)]
    await turn.say("\n".join(filter(None, [listing, *described])))
    return "end_turn"


async def _list_folder(turn: DemoTurn) -> list[Entry]:
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
        raise
    listing = "\n".join(entry.name + "/" * entry.is_dir for entry in entries[:_MAX_SHOWN])
    turn.tool_update(
        call,
        "completed",
        content=[text_content(listing or "(empty)")],
        rawOutput={"entries": len(entries)},
    )
    return entries


async def _read_excerpt(turn: DemoTurn, name: str) -> tuple[str, str] | None:
    call = None
    try:
        path = turn.session.workspace.find(name)
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
        await turn.say(f"`{plain_name(name)}` could not be read: {error}.\n\n")
        return None
    turn.tool_update(
        call,
        "completed",
        content=[text_content(excerpt(name, text))],
        rawOutput={"lines": len(text.splitlines())},
    )
    return name, text


def _listing(entries: list[Entry]) -> str:
    if not entries:
        return "This folder is empty. `create notes.md` writes a first file.\n"
    noun = "entry" if len(entries) == 1 else "entries"
    text = f"## In this folder\n\n{len(entries)} {noun}.\n\n| Name | What |\n| --- | --- |\n"
    for entry in entries[:_MAX_SHOWN]:
        text += f"| `{plain_name(entry.name)}` | {'folder' if entry.is_dir else 'file'} |\n"
    if len(entries) > _MAX_SHOWN:
        text += f"\n{len(entries) - _MAX_SHOWN} more are not shown.\n"
    return text


async def edit(turn: DemoTurn, request: Request) -> str:
    """Edit the file named in the prompt, else the first Python file, else a new one."""
    name = _target(turn, request)
    try:
        path = turn.session.workspace.find(name)
    except OutsideWorkspaceError:
        return await _outside(turn, name)
    name, exists = plain_name(turn.session.workspace.relative(path)), path.is_file()
    steps = [
        f"Read {name}" if exists else f"Sketch {name}",
        "Propose an edit",
        "Ask for permission",
        f"Write {name}",
    ]
    turn.plan(steps, 0)
    await turn.think(
        f"A small edit to {name} that leaves the rest as it is. "
        "Nothing is written before it is allowed."
    )
    try:
        old = await _read(turn, path, name) if exists else None
    except FileAccessError as error:
        await turn.say(f"`{name}` could not be read: {error}. Nothing was changed.\n")
        return "end_turn"
    turn.plan(steps, 1)
    change = new_file(name, request.content) if old is None else propose(name, old)
    if change is None:
        turn.plan(steps, 1, working=False)
        await turn.say(
            f"I found nothing to change in `{name}`. If an earlier turn edited it, *Revert* there "
            "and ask again.\n"
        )
        return "end_turn"
    await turn.say(f"Here is an edit to `{name}`.\n\n")
    turn.plan(steps, 2)
    answer, problem = await apply(turn, Proposal(path, name, old, change))
    if answer.allows and problem is None:
        turn.plan(steps, 4)
    else:
        turn.plan(steps, 3, working=False)
    await turn.say(outcome(name, change, answer, problem))
    return "end_turn"


async def create(turn: DemoTurn, request: Request) -> str:
    """Write a new file; an existing one is left alone."""
    name = request.names[0] if request.names else "hello.py"
    try:
        path = turn.session.workspace.locate(name)
    except OutsideWorkspaceError:
        return await _outside(turn, name)
    name = plain_name(turn.session.workspace.relative(path))
    if path.exists():
        await turn.say(
            f"`{name}` already exists. Nothing was changed; `edit {name}` proposes an edit.\n"
        )
        return "end_turn"
    await turn.think(f"{name} is new, so the whole file is the edit.")
    change = new_file(name, request.content)
    answer, problem = await apply(turn, Proposal(path, name, None, change))
    text = outcome(name, change, answer, problem)
    if answer.allows and problem is None:
        text += "\n" + code_block(change.text, "python" if name.endswith(".py") else "")
    await turn.say(text)
    return "end_turn"


async def ask_twice(turn: DemoTurn, _request: Request) -> str:
    """Ask for two edits at once; each is decided by itself."""
    paths = [_unused(turn, stem) for stem in ("first", "second")]
    await turn.say("Two questions at once; each may be answered on its own.\n\n")
    proposals = [Proposal(path, path.name, None, new_file(path.name, None)) for path in paths]
    tasks = [asyncio.create_task(apply(turn, proposal)) for proposal in proposals]
    try:
        results = await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
    lines = [
        outcome(proposal.name, proposal.edit, *result)
        for proposal, result in zip(proposals, results, strict=True)
    ]
    await turn.say("".join(f"- {line}" for line in lines))
    return "end_turn"


def _unused(turn: DemoTurn, stem: str) -> Path:
    names = itertools.chain([f"{stem}.txt"], (f"{stem}-{n}.txt" for n in itertools.count(2)))
    paths = (turn.session.workspace.root.resolve() / name for name in names)
    return next(path for path in paths if not path.exists())


def _target(turn: DemoTurn, request: Request) -> str:
    if request.names:
        return request.names[0]
    names = [entry.name for entry in turn.session.workspace.entries() if entry.is_text]
    return next((name for name in names if name.endswith(".py")), "hello.py")


async def _outside(turn: DemoTurn, name: str) -> str:
    await turn.say(
        f"`{plain_name(name)}` lies outside this session's folder. Nothing was changed.\n"
    )
    return "end_turn"


async def _read(turn: DemoTurn, path: Path, name: str) -> str:
    location: Json = {"path": str(path), "line": 1}
    call = turn.tool_call(
        f"Read {name}", "read", "in_progress", locations=[location], rawInput={"path": str(path)}
    )
    try:
        text = await turn.session.files.read(path)
    except FileAccessError as error:
        turn.tool_update(call, "failed", content=[text_content(str(error))])
        raise
    turn.tool_update(
        call,
        "completed",
        content=[text_content(code_block(text[:2_000]))],
        rawOutput={"characters": len(text)},
    )
    return text


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change to one file; `old` is None for a new file."""

    path: Path
    name: str
    old: str | None
    edit: Edit


async def apply(turn: DemoTurn, proposal: Proposal) -> tuple[Answer, str | None]:
    """Show the diff, ask, write. Return the answer, and the problem if there was one."""
    path, name = proposal.path, proposal.name
    diff: Json = {
        "type": "diff",
        "path": str(path),
        "oldText": proposal.old,
        "newText": proposal.edit.text,
    }
    title = f"{'Write' if proposal.old is None else 'Edit'} {name}"
    fields: Json = {
        "content": [diff],
        "locations": [{"path": str(path)}],
        "rawInput": {"path": str(path)},
    }
    call = turn.tool_call(title, "edit", "pending", **fields)
    question: Json = {
        "toolCallId": call,
        "title": title,
        "kind": "edit",
        "status": "pending",
        **fields,
    }
    answer = await turn.ask(question, edit=True)
    if not answer.allows:
        turn.tool_update(
            call,
            "failed",
            content=[diff, text_content("Rejected")],
            rawOutput={"outcome": "Rejected"},
        )
        return answer, None
    turn.tool_update(call, "in_progress")
    try:
        await _check_unchanged(turn, proposal)
        await turn.session.files.write(path, proposal.edit.text)
    except FileAccessError as error:
        turn.tool_update(
            call,
            "failed",
            content=[diff, text_content(str(error))],
            rawOutput={"error": str(error)},
        )
        return answer, str(error)
    turn.tool_update(call, "completed", rawOutput={"characters": len(proposal.edit.text)})
    return answer, None


async def _check_unchanged(turn: DemoTurn, proposal: Proposal) -> None:
    # The user may have edited the file before answering.
    if proposal.old is None:
        changed = proposal.path.exists()
    else:
        changed = await turn.session.files.read(proposal.path) != proposal.old
    if changed:
        raise FileAccessError("it has changed since the edit was proposed")


def outcome(name: str, change: Edit, answer: Answer, problem: str | None) -> str:
    """Return the outcome of an edit, as a sentence on its own line."""
    if not answer.allows:
        return f"The edit to `{name}` was rejected. Nothing was changed.\n"
    if problem is not None:
        return f"`{name}` could not be written: {problem}. Nothing was changed.\n"
    return f"{change.summary}\n"
