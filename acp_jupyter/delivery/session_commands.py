"""Commands about the life of a session, and about sessions that only its agent knows."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypeAliasType

from acp_jupyter.packets.base import Model

__all__ = [
    "AgentSession",
    "AgentSessions",
    "CloseSession",
    "DeleteSession",
    "ForkSession",
    "ListAgentSessions",
    "OpenAgentSession",
    "ResumeSession",
    "SessionCommand",
]


class CloseSession(Model):
    """End a session; it is kept, and can be opened again. ACP: session/close."""

    name: Literal["close_session"] = "close_session"
    session_id: str


class DeleteSession(Model):
    """End a session and remove all that is kept of it. ACP: session/delete."""

    name: Literal["delete_session"] = "delete_session"
    session_id: str


class ForkSession(Model):
    """Make a session that goes on from where another is now. ACP: session/fork."""

    name: Literal["fork_session"] = "fork_session"
    session_id: str


class ResumeSession(Model):
    """Start the agent of a session again. ACP: session/resume, session/load."""

    name: Literal["resume_session"] = "resume_session"
    session_id: str


class ListAgentSessions(Model):
    """The sessions that an agent itself keeps. ACP: session/list."""

    name: Literal["list_agent_sessions"] = "list_agent_sessions"
    agent: str
    cwd: str | None = None
    """Absolute or relative to the server's root, which is the default."""
    cursor: str = ""


class OpenAgentSession(Model):
    """Open one of them here. ACP: session/load, session/resume."""

    name: Literal["open_agent_session"] = "open_agent_session"
    agent: str
    agent_session_id: str
    cwd: str | None = None
    title: str = ""
    trust: bool = False


SessionCommand = TypeAliasType(
    "SessionCommand",
    CloseSession
    | DeleteSession
    | ForkSession
    | ResumeSession
    | ListAgentSessions
    | OpenAgentSession,
)


class AgentSession(Model):
    """A session that an agent keeps."""

    agent_session_id: str
    cwd: str
    title: str = ""
    updated_at: str = ""
    """As the agent writes it."""
    session_id: str = ""
    """Our id of it, where it is known here."""


class AgentSessions(Model):
    """Result of ``list_agent_sessions``."""

    sessions: tuple[AgentSession, ...]
    next_cursor: str = ""
