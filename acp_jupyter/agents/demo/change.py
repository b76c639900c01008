"""The tasks that change files: read, propose, ask, and write only when allowed."""

from __future__ import annotations

import asyncio
import itertools
from pathlib import Path

from acp_jupyter.agents.demo.choose import Request
from acp_jupyter.agents.demo.edits import new_file, propose
from acp_jupyter.agents.demo.files import FileAccessError
from acp_jupyter.agents.demo.proposal import Proposal, carry_out, outcome
from acp_jupyter.agents.demo.quoting import code_block, plain_name
from acp_jupyter.agents.demo.turn import Turn, text_content
from acp_jupyter.agents.demo.workspace import OutsideWorkspaceError
from acp_jupyter.agents.rpc import Json

__all__ = ["ask_twice", "create", "edit"]


async def edit(turn: Turn, request: Request) -> str:
    """Edit the file that the prompt names, else the first Python file, else a new one."""
    name = _target(turn, request)
    try:
        path = turn.session.workspace.locate(name)
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
            f"There is nothing to do in `{name}`: no edit that this agent knows fits. "
            "Nothing was changed.\n"
        )
        return "end_turn"
    await turn.say(f"Here is an edit to `{name}`.\n\n")
    turn.plan(steps, 2)
    answer, problem = await carry_out(turn, Proposal(path, name, old, change))
    if answer.allows and problem is None:
        turn.plan(steps, 4)
    else:
        turn.plan(steps, 3, working=False)
    await turn.say(outcome(name, change, answer, problem))
    return "end_turn"


async def create(turn: Turn, request: Request) -> str:
    """Write a new file; one that is there already stays as it is."""
    name = request.names[0] if request.names else "hello.py"
    try:
        path = turn.session.workspace.locate(name)
    except OutsideWorkspaceError:
        return await _outside(turn, name)
    name = plain_name(turn.session.workspace.relative(path))
    if path.exists():
        await turn.say(
            f"`{name}` is there already. Nothing was changed; `edit {name}` proposes an edit.\n"
        )
        return "end_turn"
    await turn.think(f"{name} is new, so the whole file is the edit.")
    change = new_file(name, request.content)
    answer, problem = await carry_out(turn, Proposal(path, name, None, change))
    text = outcome(name, change, answer, problem)
    if answer.allows and problem is None:
        text += "\n" + code_block(change.text, "python" if name.endswith(".py") else "")
    await turn.say(text)
    return "end_turn"


async def ask_twice(turn: Turn, _request: Request) -> str:
    """Ask for two edits at once; each stands for itself."""
    paths = [_unused(turn, stem) for stem in ("first", "second")]
    await turn.say("Two questions at once; each may be answered on its own.\n\n")
    proposals = [Proposal(path, path.name, None, new_file(path.name, None)) for path in paths]
    tasks = [asyncio.create_task(carry_out(turn, proposal)) for proposal in proposals]
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


def _unused(turn: Turn, stem: str) -> Path:
    names = itertools.chain([f"{stem}.txt"], (f"{stem}-{n}.txt" for n in itertools.count(2)))
    paths = (turn.session.workspace.root.resolve() / name for name in names)
    return next(path for path in paths if not path.exists())


def _target(turn: Turn, request: Request) -> str:
    if request.names:
        return request.names[0]
    names = [entry.name for entry in turn.session.workspace.entries() if entry.is_text]
    return next((name for name in names if name.endswith(".py")), "hello.py")


async def _outside(turn: Turn, name: str) -> str:
    await turn.say(
        f"`{plain_name(name)}` lies outside this session's folder. Nothing was changed.\n"
    )
    return "end_turn"


async def _read(turn: Turn, path: Path, name: str) -> str:
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
