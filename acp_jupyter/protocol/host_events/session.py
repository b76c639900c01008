"""Notes about a session at its agent: attached, history replayed, no output; and logins.

No secret is in them: agents keep their own.
"""

from __future__ import annotations

from typing import Literal

from acp_jupyter.protocol.objects import Model


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


class AgentSilentNote(Model):
    """A turn runs, and the agent has said nothing for a while."""

    note: Literal["agent_silent"] = "agent_silent"
    turn_id: str
    since: float
    """Seconds since the epoch."""


class FolderScanNote(Model):
    """A turn waits for a look at its folder that takes long; or that has come to its end."""

    note: Literal["folder_look"] = "folder_look"
    turn_id: str
    over: bool = False


class MessageHeld(Model):
    """The next message waits before the agent gets it; or it does not any more."""

    note: Literal["message_held"] = "message_held"
    words: str = ""
    """Why, how long at most, and what can be done; empty where it waits no more."""


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
