"""Notes about logging in to an agent. No secret passes here: agents keep their own."""

from __future__ import annotations

from typing import Literal

from acp_jupyter.packets.base import Model

__all__ = ["LoginDone", "LoginNeeded", "LoginStarted"]


class LoginNeeded(Model):
    """The agent opens no session before somebody logs in."""

    note: Literal["login_needed"] = "login_needed"
    message: str
    """What happened and what to do."""


class LoginStarted(Model):
    """The user has chosen a way to log in, and it goes on."""

    note: Literal["login_started"] = "login_started"
    method_id: str
    name: str
    terminal: str = ""
    """The name of the terminal that it happens in."""


class LoginDone(Model):
    """A login or logout has ended."""

    note: Literal["login_done"] = "login_done"
    ok: bool
    message: str = ""
    """Why it failed, or what has changed."""
    logged_out: bool = False
