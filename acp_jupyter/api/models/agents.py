"""Commands about agents and logins, and their results."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from acp_jupyter.protocol.objects import Model
from acp_jupyter.protocol.parse.login import AuthMethod


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


class ListAgents(Model):
    """The configured agents and whether they can start."""

    name: Literal["list_agents"] = "list_agents"


# -- results of commands ---------------------------------------------------


class AgentEntry(Model):
    """Result of ``list_agents``, one agent."""

    id: str
    name: str
    status: Literal["ready", "needs_login", "not_installed", "broken"]
    detail: str = ""
    install: str = ""
    """The command that installs it, to be typed in a terminal."""
    website: str = ""
    package: str = ""
    """What may be downloaded after a click: a package with its version."""
    run: str = ""
    """The command that will then be run."""
    listed: bool = False
    """Whether it is known from the public registry alone."""
    methods: tuple[AuthMethod, ...] = ()
    """Ways to log in, where it needs that."""
