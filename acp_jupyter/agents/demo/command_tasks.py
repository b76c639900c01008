"""The tasks that run a harmless command, and that have a subagent look around."""

from __future__ import annotations

import asyncio
import shutil
import sys
from pathlib import Path

import acp

from acp_jupyter.agents.demo.file_tasks import explore
from acp_jupyter.agents.demo.prompt import Request
from acp_jupyter.agents.demo.session import Turn, text_content
from acp_jupyter.agents.demo.talk_tasks import code_block
from acp_jupyter.agents.serving import Json

_ARGS = ["--version"]
_MAX_SECONDS = 10.0
_MAX_OUTPUT_BYTES = 10_000


async def run(turn: Turn, _request: Request) -> str:
    """Ask, run, show output and exit code."""
    program = next((name for name in ("python", "python3") if shutil.which(name)), sys.executable)
    command = " ".join([Path(program).name, *_ARGS])
    fields: Json = {"rawInput": {"command": " ".join([program, *_ARGS])}}
    await turn.think("Asking for the version shows how a command runs and changes nothing.")
    call = await turn.tool_call(f"Run {command}", "execute", "pending", **fields)
    question: Json = {
        "toolCallId": call,
        "title": f"Run {command}",
        "kind": "execute",
        "status": "pending",
        **fields,
    }
    answer = await turn.ask(question, edit=False)
    if not answer.allows:
        await turn.tool_update(
            call, "failed", content=[text_content("Rejected")], rawOutput={"outcome": "Rejected"}
        )
        await turn.say(f"`{command}` was rejected and did not run.\n")
        return "end_turn"
    await turn.tool_update(call, "in_progress")
    try:
        if turn.session.client_has_terminal:
            output, code = await _in_terminal(turn, call, program)
        else:
            output, code = await _in_process(turn, program)
            await turn.tool_update(
                call, "in_progress", content=[text_content(code_block(output, "console"))]
            )
    except (acp.RequestError, OSError, TimeoutError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        reason = reason or f"it took longer than {_MAX_SECONDS:g} s"
        await turn.tool_update(
            call, "failed", content=[text_content(reason)], rawOutput={"error": reason}
        )
        await turn.say(f"`{command}` could not be run: {reason}.\n")
        return "end_turn"
    await turn.tool_update(
        call, "completed" if code == 0 else "failed", rawOutput={"exitCode": code, "output": output}
    )
    end = "ended without an exit code" if code is None else f"ended with exit code {code}"
    await turn.say(f"`{command}` {end}:\n\n{code_block(output, 'console')}")
    return "end_turn"


async def _in_terminal(turn: Turn, call: str, program: str) -> tuple[str, int | None]:
    client, session_id = turn.client, turn.session.id
    created = await client.create_terminal(
        session_id,
        program,
        args=_ARGS,
        cwd=str(turn.session.workspace.root),
        output_byte_limit=_MAX_OUTPUT_BYTES,
    )
    terminal_id = created.terminal_id
    # The terminal is released whatever happens; nobody needs the answer.
    try:
        await turn.tool_update(
            call, "in_progress", content=[{"type": "terminal", "terminalId": terminal_id}]
        )
        async with asyncio.timeout(_MAX_SECONDS):
            ended = await client.wait_for_terminal_exit(session_id, terminal_id)
            shown = await client.terminal_output(session_id, terminal_id)
    except BaseException:
        turn.background.run(client.kill_terminal(session_id, terminal_id))
        raise
    finally:
        turn.background.run(client.release_terminal(session_id, terminal_id))
    return shown.output, ended.exit_code


async def _in_process(turn: Turn, program: str) -> tuple[str, int | None]:
    # It stays in this agent's process group, so that whoever ends the group ends it too.
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


async def delegate(turn: Turn, request: Request) -> str:
    """Start a subagent, let it work, say what it found."""
    await turn.think("A subagent can look around in the meantime.")
    call = await turn.tool_call(
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
    await turn.tool_update(call, "completed", content=[text_content(report)])
    await turn.say(
        "The subagent has looked around. Its steps are folded into the call that started it.\n"
    )
    return "end_turn"
