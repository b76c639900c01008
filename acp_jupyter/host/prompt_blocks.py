"""What a prompt consists of: checked when it is put, fitted to the agent when it is sent."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pydantic import JsonValue

from acp_jupyter.errors import EmptyPrompt, InvalidBlock, NotSupported
from acp_jupyter.host.limits import Limits
from acp_jupyter.protocol.objects import Obj, obj, text

__all__ = ["Blocks", "content_blocks", "fitted_blocks"]

Blocks = tuple[Obj, ...]

_NAME_CHARS = 1_000
_URI_CHARS = 8_000
_MIME = re.compile(r"[A-Za-z0-9][\w.+-]{0,99}/[\w.+-]{1,100}(?:\s*;[^\x00-\x1f]{0,200})?")
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20\x7f]+")
_FENCE = re.compile(r"^\s*(`{3,})", re.MULTILINE)


def content_blocks(prompt: str | Sequence[Obj], limits: Limits | None = None) -> Blocks:
    """Return ACP content blocks for a prompt; what nobody could send is refused.

    Raises
    ------
    EmptyPrompt
        No text and no other block.
    InvalidBlock
        One is malformed, of an unknown type, or too large.
    """
    bounds = limits or Limits()
    written: Blocks = ({"type": "text", "text": prompt},) if isinstance(prompt, str) else ()
    raw: Blocks = written if isinstance(prompt, str) else tuple(prompt)
    if len(raw) > bounds.prompt_blocks:
        raise InvalidBlock(f"A prompt can have {bounds.prompt_blocks} parts, not {len(raw)}.")
    for place, block in enumerate(raw, 1):
        _check(block, f"Part {place} of the prompt")
    size = sum(_size(block) for block in raw)
    if size > bounds.prompt_bytes:
        raise InvalidBlock(
            f"The prompt is too large: {size} bytes, and the limit is {bounds.prompt_bytes}. "
            "Attach a smaller file, or name the file in the text."
        )
    if not any(block["type"] != "text" or text(block["text"]).strip() for block in raw):
        raise EmptyPrompt("The prompt is empty. Write what the agent shall do.")
    return raw


def _check(block: Obj, where: str) -> None:
    match block.get("type"):
        case "text":
            _need(isinstance(block.get("text"), str), where, "has no text")
        case "image" | "audio" as kind:
            mime = text(block.get("mimeType"))
            _need(_MIME.fullmatch(mime) is not None, where, f"has no MIME type for its {kind}")
            _need(mime.startswith(f"{kind}/"), where, f"has a MIME type that is no {kind}")
            _need(_is_base64(block.get("data")), where, f"has no {kind} in base64")
            _need_uri(block, "uri", where, required=False)
        case "resource_link":
            name = block.get("name")
            named = isinstance(name, str) and 0 < len(name) <= _NAME_CHARS
            _need(named, where, "is a link without a name")
            _need_uri(block, "uri", where)
        case "resource":
            body = obj(block.get("resource"))
            _need_uri(body, "uri", where)
            has_text = isinstance(body.get("text"), str)
            _need(has_text or _is_base64(body.get("blob")), where, "is a file without content")
        case _:
            raise InvalidBlock(
                f"{where} is of no known type. Use text, image, audio, resource_link or resource."
            )


def _need(good: bool, where: str, words: str) -> None:
    if not good:
        raise InvalidBlock(f"{where} {words}.")


def _need_uri(body: Obj, name: str, where: str, *, required: bool = True) -> None:
    uri = body.get(name)
    if uri is None and not required:
        return
    good = isinstance(uri, str) and len(uri) <= _URI_CHARS and _URI.fullmatch(uri) is not None
    _need(good, where, "has no address (uri)")


def _is_base64(data: JsonValue) -> bool:
    if not isinstance(data, str) or not data:
        return False
    try:
        base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


def _size(block: Obj) -> int:
    body = obj(block.get("resource"))
    parts = (block.get("text"), block.get("data"), body.get("text"), body.get("blob"))
    return sum(len(part.encode(errors="replace")) for part in parts if isinstance(part, str))


def fitted_blocks(
    blocks: Sequence[Obj],
    capabilities: Sequence[str],
    root: Path,
    agent: str,
    is_file: Callable[[Path], bool] = Path.is_file,
) -> Blocks:
    """Return the blocks as the agent can take them.

    Text and links every agent takes. An embedded text that it can't take becomes a link where the
    file lies in the session's folder, else text.

    Parameters
    ----------
    capabilities
        Of ``image``, ``audio``, ``embeddedContext``.
    root
        The session's folder.
    agent
        Its name, for people.

    Raises
    ------
    NotSupported
        It can't take one of them, and there is no other way to say the same.
    """
    return tuple(_fitted(block, capabilities, root, agent, is_file) for block in blocks)


def _fitted(
    block: Obj,
    capabilities: Sequence[str],
    root: Path,
    agent: str,
    is_file: Callable[[Path], bool],
) -> Obj:
    kind = text(block.get("type"))
    if kind in {"image", "audio"} and kind not in capabilities:
        named = text(block.get("uri")).rpartition("/")[2] or text(block.get("mimeType"))
        raise _not_supported(agent, kind, "an image" if kind == "image" else "sound", named)
    if kind != "resource" or "embeddedContext" in capabilities:
        return block
    body = obj(block.get("resource"))
    uri = text(body.get("uri"))
    path = _path_inside(uri, root)
    if path is not None and is_file(path):
        return _link(uri, path.name, text(body.get("mimeType")))
    if "text" in body:
        return _fenced(uri, text(body["text"]))
    raise _not_supported(agent, "embeddedContext", "a file in a message", uri.rpartition("/")[2])


def _link(uri: str, name: str, mime_type: str) -> Obj:
    link: Obj = {"type": "resource_link", "uri": uri, "name": name}
    return link | ({"mimeType": mime_type} if mime_type else {})


def _fenced(uri: str, content: str) -> Obj:
    """Write it as code, in a fence longer than any within."""
    longest = max((len(found) for found in _FENCE.findall(content)), default=2)
    fence = "`" * max(3, longest + 1)
    return {"type": "text", "text": f"\n{uri}\n{fence}\n{content}\n{fence}\n"}


def _path_inside(uri: str, root: Path) -> Path | None:
    """Return the file of a ``file:`` address that lies in the folder, links followed."""
    try:
        parts = urlsplit(uri)
        if parts.scheme != "file" or parts.netloc not in {"", "localhost"}:
            return None
        path = Path(unquote(parts.path)).resolve()
        return path if path.is_relative_to(root.resolve()) else None
    except (ValueError, OSError, RuntimeError):
        return None


def _not_supported(agent: str, capability: str, what: str, named: str) -> NotSupported:
    name = f" ({named[:100]})" if named else ""
    return NotSupported(
        f"{agent} can't take {what}{name}, so the message was not sent.",
        f"It does not announce the prompt capability {capability!r}. Leave the attachment out, or "
        "use an agent that takes it.",
    )
