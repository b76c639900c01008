"""The content blocks of a prompt, as the CLI takes them."""

from __future__ import annotations

from urllib.parse import unquote

from acp_jupyter.agents.rpc import INVALID_PARAMS, Json, RpcError

__all__ = ["user_message"]


def user_message(prompt: object) -> Json:
    """Return the CLI's input line for a prompt (S4.19).

    Raises
    ------
    RpcError
        It is empty or not a prompt.
    """
    if not isinstance(prompt, list) or not all(isinstance(block, dict) for block in prompt):
        raise RpcError(INVALID_PARAMS, "The prompt is not a list of content blocks.")
    content = [_block(block) for block in prompt]
    if not any(block["type"] != "text" or str(block["text"]).strip() for block in content):
        raise RpcError(INVALID_PARAMS, "The prompt is empty.")
    return {"type": "user", "message": {"role": "user", "content": content}}


def _block(block: Json) -> Json:
    match block:
        case {"type": "text", "text": str(words)}:
            return _text(words)
        case {"type": "image", "data": str(data), "mimeType": str(kind)} if data:
            return _image(data, kind)
        case {"type": "resource_link", "uri": str(uri)}:
            return _text(f"[{block.get('name') or _place(uri)}]({_place(uri)})")
        case {"type": "resource", "resource": {"uri": str(uri), "text": str(words)}}:
            return _text(f'<context ref="{_place(uri)}">\n{words}\n</context>')
        case {"type": "resource", "resource": {"blob": str(data), "mimeType": str(kind)}} if (
            kind.startswith("image/")
        ):
            return _image(data, kind)
        case _:
            raise RpcError(
                INVALID_PARAMS,
                f"The Claude CLI can't take this part of the prompt: {block.get('type')}. "
                "It takes text, images, files as text, and links.",
            )


def _text(words: str) -> Json:
    return {"type": "text", "text": words}


def _image(data: str, kind: str) -> Json:
    return {"type": "image", "source": {"type": "base64", "media_type": kind, "data": data}}


def _place(uri: str) -> str:
    return unquote(uri.removeprefix("file://")) if uri.startswith("file://") else uri
