"""The task that has a subagent: what it does names the tool call that it works for."""

from __future__ import annotations

from acp_jupyter.agents.demo.choose import Request
from acp_jupyter.agents.demo.command import run
from acp_jupyter.agents.demo.explore import explore
from acp_jupyter.agents.demo.turn import Turn, text_content

__all__ = ["delegate"]

_DESCRIPTION = "Look around the folder"
_PROMPT = "List the folder, read a file or two, and find out which Python runs here."


async def delegate(turn: Turn, request: Request) -> str:
    """Start a subagent, let it work, say what it found."""
    await turn.think("Somebody else can look around meanwhile.")
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
        "The subagent has looked around. Its steps lie folded in the call that started it.\n"
    )
    return "end_turn"
