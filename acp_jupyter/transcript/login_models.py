"""How a login to an agent goes, for a view."""

from __future__ import annotations

from typing import Literal

from acp_jupyter.packets.base import Model

__all__ = ["LoginState"]


class LoginState(Model):
    """A login that goes on, or has failed."""

    method_id: str
    name: str
    """Of the method, for people."""
    state: Literal["running", "failed"] = "running"
    terminal: str = ""
    """The name of the terminal that it happens in."""
    message: str = ""
    """Why it failed."""
    since: float | None = None
