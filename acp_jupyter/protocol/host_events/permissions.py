"""Policies, rules and trust, with their notes; notes of answered questions and edited prompts."""

from __future__ import annotations

from typing import Literal

from acp_jupyter.protocol.objects import Model

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
