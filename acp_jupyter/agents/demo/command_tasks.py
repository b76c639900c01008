"""The tasks that run a harmless command, and that start a subagent to look around."""

from __future__ import annotations

import asyncio
import shutil
import sys
from pathlib import Path

from acp_jupyter.agents.demo.file_tasks import explore
from acp_jupyter.agents.demo.prompt import Request
from acp_jupyter.agents.demo.session import DemoTurn, text_content
from acp_jupyter.agents.demo.talk_tasks import code_block
from acp_jupyter.agents.rpc import Json, RpcError

_ARGS = ["--version"]
_MAX_SECONDS = 10.0
_MAX_OUTPUT_BYTES = 10_000


async def run(turn: DemoTurn, _request: Request) -> str:
    """Ask, run, and show output and exit code."""
    program = next((name for name in ("python", "python3") if shutil.which(name)), sys.executable)
    command = " ".join([Path(program).name, *_ARGS])
    fields: Json = {"rawInput": {"command": " ".join([program, *_ARGS])}}
    await turn.think("Asking for the version shows how a command runs and changes nothing.")
    call = turn.tool_call(f"Run {command}", "execute", "pending", **fields)
    question: Json = {
        "toolCallId": call,
        "title": f"Run {command}",
        "kind": "execute",
        "status": "pending",
        **fields,
    }
    answer = await turn.ask(question, edit=False)
    if not answer.allows:
        turn.tool_update(
            call, "failed", content=[text_content("Rejected")], rawOutput={"outcome": "Rejected"}
        )
        await turn.say(f"`{command}` was rejected and did not run.\n")
        return "end_turn"
    turn.tool_update(call, "in_progress")
    try:
        if turn.session.client_has_terminal:
            output, code = await _in_terminal(turn, call, program)
        else:
            output, code = await _in_process(turn, program)
            turn.tool_update(
                call, "in_progress", content=[text_content(code_block(output, "console"))]
            )
    except (RpcError, OSError, TimeoutError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        reason = reason or f"it took longer than {_MAX_SECONDS:g} s"
        turn.tool_update(
            call, "failed", content=[text_content(reason)], rawOutput={"error": reason}
        )
        await turn.say(f"`{command}` could not be run: {reason}.\n")
        return "end_turn"
    turn.tool_update(
        call, "completed" if code == 0 else "failed", rawOutput={"exitCode": code, "output": output}
    )
    end = "ended without an exit code" if code is None else f"ended with exit code {code}"
    await turn.say(f"`{command}` {end}:\n\n{code_block(output, 'console')}")
    return "end_turn"


async def _in_terminal(turn: DemoTurn, call: str, program: str) -> tuple[str, int | None]:
    root = str(turn.session.workspace.root)
    session: Json = {"sessionId": turn.session.id}
    create: Json = {
        "command": program,
        "args": _ARGS,
        "cwd": root,
        "outputByteLimit": _MAX_OUTPUT_BYTES,
    }
    created = await turn.peer.request("terminal/create", session | create)
    terminal: Json = session | {"terminalId": created.get("terminalId")}
    # The terminal is released in any case; nobody needs the response.
    try:
        turn.tool_update(
            call,
            "in_progress",
            content=[{"type": "terminal", "terminalId": created.get("terminalId")}],
        )
        async with asyncio.timeout(_MAX_SECONDS):
            ended = await turn.peer.request("terminal/wait_for_exit", terminal)
            shown = await turn.peer.request("terminal/output", terminal)
    except BaseException:
        turn.peer.post("terminal/kill", terminal)
        raise
    finally:
        turn.peer.post("terminal/release", terminal)
    code, output = ended.get("exitCode"), shown.get("output")
    return output if isinstance(output, str) else "", code if isinstance(code, int) else None


async def _in_process(turn: DemoTurn, program: str) -> tuple[str, int | None]:
    # It stays in this agent's process group, so that ending the group ends it too.
    process = await asyncio.create_subprocess_exec(
        program,
        *_ARGS,
        cwd=turn.session.workspace.root,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        async with asyncio.timeout(_MAX_SECONDS):
            output, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
    return output[-_MAX_OUTPUT_BYTES:].decode(errors="replace"), process.returncode


_DESCRIPTION = "Look around the folder"
_PROMPT = "List the folder, read a file or two, and find out which Python runs here."


async def delegate(turn: DemoTurn, request: Request) -> str:
    """Start a subagent, let it work, and report what it found."""
    await turn.think("A subagent can look around in the meantime.")
    call = turn.tool_call(
        "Task",
        "think",
        "in_progress",
        rawInput={
            "description": _DESCRIPTION,
            "prompt": _PROMPT,
            "subagent_type": "Explore",
        },
    )
    subagent = turn.for_call(call)
    await explore(subagent, request)
    await run(subagent, request)
    report = "The folder was listed and read, and the version of Python was asked for."
    turn.tool_update(call, "completed", content=[text_content(report)])
    await turn.say(
        "The subagent has looked around. Its steps are folded into the call that started it.\n"
    )
    return "end_turn"
