"""Notes about a session: at its agent, its logins, policies, rules and trusted folders.

What the host alone knows of a session and a page shows; also answers to questions, and edits of
queued prompts.
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


Policy = Literal["ask", "read-only", "accept-edits", "allow-all", "deny"]
"""How permission requests are answered that no rule is about."""

RuleKind = Literal["read", "search", "edit", "delete", "move", "execute", "fetch"]
"""The protocol's kinds that leave evidence: paths, a command or an address."""

RuleEffect = Literal["allow", "deny"]
RuleScope = Literal["turn", "session", "workspace"]


class Rule(Model):
    """What is answered without asking again."""

    id: str
    scope: RuleScope
    """How long it counts: for one turn, one session, or for all sessions in one folder."""
    effect: RuleEffect
    tool_kind: RuleKind
    pattern: str = ""
    """Which commands, paths or addresses; empty for all of the kind."""
    words: str = ""
    """The same for people."""
    created_at: float = 0.0
    user: str = ""
    """Whose prompts it allows things for; empty for all."""


class RulesChanged(Model):
    """The rules of the session as they are now."""

    note: Literal["rules_changed"] = "rules_changed"
    rules: tuple[Rule, ...] = ()


class TrustRequested(Model):
    """The user is asked whether agents may run in the session's folder."""

    note: Literal["trust_asked"] = "trust_asked"
    request_id: str
    agent_name: str
    folder: str
    """For people."""
    record: str = ""
    """What would be played in the agent's place, and was not recorded here."""
    warning: str = ""
    """What else would be trusted, where that is more than a project."""


class TrustSettled(Model):
    """What became of that question."""

    note: Literal["trust_settled"] = "trust_settled"
    request_id: str
    trusted: bool = False
    by: Literal["user", "turn_cancelled"] = "user"
    user: str = ""
    """Who answered, as the server knows them."""
    told: str = ""
    """The name that is shown for them."""


class ElicitationSettled(Model):
    """Who or what answered a question of the agent; written before the answer."""

    note: Literal["elicitation_settled"] = "elicitation_settled"
    request_id: str
    by: Literal["user", "turn_cancelled", "nobody", "agent_exited", "withdrawn", "completed"]
    """``completed``: the agent says that it was done elsewhere."""
    user: str = ""
    """Who answered, as the server knows them."""
    told: str = ""
    """The name that is shown for them."""
