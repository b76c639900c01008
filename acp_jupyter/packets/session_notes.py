"""Notes about a session and its agent that the protocol has no message for."""

from __future__ import annotations

from typing import Literal

from acp_jupyter.packets.base import Model

__all__ = [
    "AgentSilent",
    "FolderLook",
    "MessageHeld",
    "ReplayEnded",
    "ReplayStarted",
    "SessionAttached",
]


class SessionAttached(Model):
    """The session is open at its agent."""

    note: Literal["session_attached"] = "session_attached"
    how: Literal["new", "resume", "load", "fork"]
    agent_session_id: str
    """The agent's own id of it."""
    without_history: bool = False
    """Whether the agent does not remember what is above."""


class ReplayStarted(Model):
    """What the agent now tells of the session was said before."""

    note: Literal["replay_started"] = "replay_started"
    keep: bool = False
    """Whether it is to be shown: false where the log has it already."""


class ReplayEnded(Model):
    """What the agent tells from here on is new."""

    note: Literal["replay_ended"] = "replay_ended"


class AgentSilent(Model):
    """A turn runs, and the agent has said nothing for a while."""

    note: Literal["agent_silent"] = "agent_silent"
    turn_id: str
    since: float
    """Seconds since the epoch."""


class FolderLook(Model):
    """A turn waits for a look at its folder that takes long; or that has come to its end."""

    note: Literal["folder_look"] = "folder_look"
    turn_id: str
    over: bool = False


class MessageHeld(Model):
    """The next message waits before the agent gets it; or it does not any more."""

    note: Literal["message_held"] = "message_held"
    words: str = ""
    """Why, how long at most, and what can be done; empty where it waits no more."""
