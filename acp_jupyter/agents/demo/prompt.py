"""The content blocks of a prompt, as text."""

from __future__ import annotations

from urllib.parse import unquote

from acp_jupyter.agents.rpc import INVALID_PARAMS, RpcError

__all__ = ["prompt_text"]


def prompt_text(prompt: object) -> str:
    """Return the text of a prompt's blocks; links and attachments count by their names.

    Raises
    ------
    RpcError
        It is empty or not a prompt.
    """
    if not isinstance(prompt, list) or not all(isinstance(block, dict) for block in prompt):
        raise RpcError(INVALID_PARAMS, "The prompt is not a list of content blocks.")
    parts: list[str] = []
    for block in prompt:
        match block:
            case {"type": "text", "text": str(text)}:
                parts.append(text)
            case {"type": "resource_link", "uri": str(uri)} | {
                "type": "resource",
                "resource": {"uri": str(uri)},
            }:
                parts.append(unquote(uri.removeprefix("file://")))
            case {"type": "image" | "audio"}:
                pass
            case _:
                raise RpcError(INVALID_PARAMS, "The prompt has a content block that can't be read.")
    text = "\n".join(parts)
    if not prompt or (parts and not text.strip()):
        raise RpcError(INVALID_PARAMS, "The prompt is empty.")
    return text
