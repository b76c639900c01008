"""The card of a call that may be done now: what its user sees while it is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Self

from pydantic import JsonValue

from acp_jupyter.notebook.reply import bounded
from acp_jupyter.packets.json_fields import Obj

__all__ = ["CallCard", "text_content"]

_SECONDS = 1.0
"""Between two looks at what code prints; longer the longer it runs."""
_SHARE = 0.05
"""Of the time that has passed: each is kept in the session's record."""


class CallCard:
    """Tells on a tool call's card how far it is. Used on the host's loop.

    Parameters
    ----------
    write
        Writes a packet into the session.
    call_id
        Of the tool call; empty where there is no card.
    own
        Whether the card is ours. On one of the agent's, the agent says what came of the call.
    """

    def __init__(self, write: Callable[[Obj], None], call_id: str, *, own: bool) -> None:
        self._write = write
        self._call_id = call_id
        self._own = own
        self._begun_at = 0.0
        self._shown = ""
        self._printed = ""
        self._next: asyncio.TimerHandle | None = None
        self._is_done = False

    def begun(self) -> Self:
        """Say that it is done now."""
        self._begun_at = asyncio.get_running_loop().time()
        self._update(status="in_progress")
        return self

    def print(self, tail: str) -> None:
        """Show the end of what its code has printed, soon."""
        self._printed = tail
        if self._next is None and not self._is_done:
            loop = asyncio.get_running_loop()
            passed = loop.time() - self._begun_at
            self._next = loop.call_later(max(_SECONDS, passed * _SHARE), self._show)

    def done(self, *, failed: bool, text: str = "") -> None:
        """Tell what came of it."""
        self._is_done = True
        if self._next is not None:
            self._next.cancel()
        if not self._own:
            return
        status = "failed" if failed else "completed"
        if text:
            self._update(status=status, content=[text_content(bounded(text))])
        else:
            self._update(status=status)

    def _show(self) -> None:
        self._next = None
        if self._printed != self._shown:
            self._shown = self._printed
            self._update(content=[text_content(self._printed)])

    def _update(self, **fields: JsonValue) -> None:
        if self._call_id:
            self._write({"type": "tool_call_update", "toolCallId": self._call_id, **fields})


def text_content(text: str) -> Obj:
    """Return text as a tool call's content."""
    return {"type": "content", "content": {"type": "text", "text": text}}
