"""What a file holds that is about to be written, so that the change can be seen."""

from __future__ import annotations

from pathlib import Path

from pydantic import JsonValue

from acp_jupyter.protocol.objects import Obj, items, obj, text

__all__ = ["with_old_text"]

_MOST_BYTES = 1024 * 1024


def with_old_text(call: Obj, cwd: Path) -> Obj:
    """Return a tool call whose diffs tell a file that is replaced from a new one."""
    if call.get("status") in ("completed", "failed") or "content" not in call:
        return call
    content: list[JsonValue] = [_with_old(obj(item), cwd) for item in items(call["content"])]
    return {**call, "content": content}


def _with_old(item: Obj, cwd: Path) -> Obj:
    if item.get("type") != "diff" or item.get("oldText") is not None:
        return item
    old = _read(cwd / text(item.get("path")))
    # The same text: it is written already, and the result will tell what was there.
    return item if old is None or old == item.get("newText") else {**item, "oldText": old}


def _read(path: Path) -> str | None:
    try:
        if not path.is_file():  # a pipe would hang
            return None
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
        return None if len(data) > _MOST_BYTES else data.decode()
    except (OSError, ValueError):
        return None
