"""One card for each call of a notebook tool."""

from __future__ import annotations

from acp_jupyter.agents.demo.mcp_client import McpError
from acp_jupyter.agents.demo.quoting import code_block
from acp_jupyter.agents.demo.toolbox import SERVER_NAME, ToolAnswer
from acp_jupyter.agents.demo.turn import Kind, Turn, text_content
from acp_jupyter.agents.rpc import Json

__all__ = ["StepFailedError", "step"]

_SHOWN_CHARS = 4_000


class StepFailedError(Exception):
    """A tool was refused, or failed; the text is what it said."""


async def step(
    turn: Turn, tool: str, title: str, kind: Kind, arguments: Json, *, may_fail: bool = False
) -> ToolAnswer:
    """Call a notebook tool under a card of its own.

    The agent asks nothing itself: the tools ask, on this very card.

    Parameters
    ----------
    may_fail
        Whether an answer that tells of a failure is an answer all the same: code that raised.

    Raises
    ------
    StepFailedError
        It was refused, or failed.
    """
    call = turn.tool_call(
        title,
        kind,
        "in_progress",
        rawInput=arguments,
        # As Claude's agent names the tools of an MCP server.
        _meta={"claudeCode": {"toolName": f"mcp__{SERVER_NAME}__{tool}"}},
    )
    try:
        answer = await turn.session.tools.call(tool, arguments)
    except McpError as error:
        words = f"The notebook tools can't be used: {error}."
        turn.tool_update(call, "failed", content=[text_content(words)])
        raise StepFailedError(words) from error
    if answer.failed:
        turn.tool_update(call, "failed", content=_content(answer))
        if may_fail:
            return answer
        raise StepFailedError(answer.text)
    # Where the tools have shown a diff on the card, it stays.
    shown: Json = {} if kind == "edit" else {"content": _content(answer)}
    turn.tool_update(call, "completed", rawOutput={"answer": answer.text[:_SHOWN_CHARS]}, **shown)
    return answer


def _content(answer: ToolAnswer) -> list[Json]:
    text = answer.text[:_SHOWN_CHARS]
    content = [text_content(code_block(text, "text"))] if text else []
    for picture in answer.pictures:
        image: Json = {"type": "image", "data": picture.data, "mimeType": picture.mime_type}
        content.append({"type": "content", "content": image})
    return content
