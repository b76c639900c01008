"""What can be done with a prompt that waits."""

from __future__ import annotations

from typing import Literal

from pydantic import JsonValue

from acp_jupyter.packets.base import Model

__all__ = ["EditQueued", "SendNow"]


class EditQueued(Model):
    """Change a prompt before it is sent; new text keeps what is attached."""

    name: Literal["edit_queued"] = "edit_queued"
    turn_id: str
    prompt: str | tuple[dict[str, JsonValue], ...]
    """Text, or ACP content blocks."""


class SendNow(Model):
    """Stop the running turn, and send a prompt that waits before the others."""

    name: Literal["send_now"] = "send_now"
    turn_id: str
