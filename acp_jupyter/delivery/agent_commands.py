"""What may be asked about agents and logins."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from acp_jupyter.packets.base import Model

__all__ = [
    "AgentCommand",
    "AllowDownload",
    "CancelLogin",
    "Login",
    "LoginReply",
    "Logout",
    "RestartAgent",
]


class AllowDownload(Model):
    """Let a package be downloaded and run, as it was shown."""

    name: Literal["allow_download"] = "allow_download"
    agent: str
    package: str = Field(min_length=1, max_length=300)
    """With its version. Another one than is offered now is refused."""


class RestartAgent(Model):
    """End an agent's processes; each session starts it anew when it next needs it."""

    name: Literal["restart_agent"] = "restart_agent"
    agent: str


class Login(Model):
    """Log in to a session's agent. ACP: authenticate; or its own program in a terminal."""

    name: Literal["login"] = "login"
    session_id: str
    method_id: str = Field(default="", max_length=1000)
    """One of the session's ``auth_methods``; empty for the first that can be used."""


class CancelLogin(Model):
    """End a login that goes on."""

    name: Literal["cancel_login"] = "cancel_login"
    session_id: str


class Logout(Model):
    """Log out of a session's agent. ACP: logout."""

    name: Literal["logout"] = "logout"
    session_id: str


AgentCommand = AllowDownload | RestartAgent | Login | CancelLogin | Logout


class LoginReply(Model):
    """Result of ``login`` and ``logout``: what the user has to know."""

    message: str
    terminal: str = ""
    """The terminal to look at."""
    command: str = ""
    """What to type where no terminal can be shown."""
