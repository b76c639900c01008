"""Answers to permission requests and elicitations, and commands about rules and trusted folders."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue, model_validator

from acp_jupyter.api.models.command_row import BaseCommand
from acp_jupyter.protocol.host_events.session import Rule
from acp_jupyter.protocol.objects import Model


class ListRules(BaseCommand):
    """The rules that are remembered, of one session and its folder or of all."""

    name: Literal["list_rules"] = "list_rules"
    session_id: str = ""


class RevokeRule(BaseCommand):
    """Forget a rule."""

    name: Literal["revoke_rule"] = "revoke_rule"
    rule_id: str = Field(min_length=1, max_length=100)


class TrustFolder(BaseCommand):
    """Let agents run in a folder, or answer a session's question about its own."""

    name: Literal["trust_folder"] = "trust_folder"
    folder: str = Field(default="", max_length=4000)
    """Absolute, or relative to the server's root."""
    session_id: str = ""
    request_id: str = ""
    trust: bool = True
    """False only answers a question with no."""

    @model_validator(mode="after")
    def _one_of_both(self) -> TrustFolder:
        if bool(self.folder) == bool(self.session_id and self.request_id):
            msg = "send either folder, or session_id with request_id"
            raise ValueError(msg)
        return self


class ListTrust(BaseCommand):
    """The trusted folders."""

    name: Literal["list_trust"] = "list_trust"


class RevokeTrust(BaseCommand):
    """Trust a folder no more. Agents that run go on."""

    name: Literal["revoke_trust"] = "revoke_trust"
    folder: str = Field(min_length=1, max_length=4000)


class RuleEntry(Model):
    """A remembered rule, and where it counts."""

    rule: Rule
    text: str
    """As one would write it, e.g. ``execute:git status *``."""
    session_id: str = ""
    """Of a session's rule."""
    folder: str = ""
    """Of a folder's rule."""


class AnswerElicitation(BaseCommand):
    """Answer a question of the agent, once. ACP: elicitation/create."""

    name: Literal["answer_elicitation"] = "answer_elicitation"
    session_id: str
    request_id: str
    action: Literal["accept", "decline", "cancel"]
    content: dict[str, JsonValue] = Field(default_factory=dict)
    """Of an accepted form, by field name."""


class AnswerPermission(BaseCommand):
    """Answer a permission request, once. ACP: session/request_permission."""

    name: Literal["answer_permission"] = "answer_permission"
    session_id: str
    request_id: str
    option_id: str | None = None
    outcome: Literal["cancelled"] | None = None
    remember: Literal["session", "workspace"] | None = None
    """Answer so without asking from now on, as the request's ``rule`` says."""
    reason: str = Field(default="", max_length=4000)
    """Why it is rejected; sent to the agent as the next message."""

    @model_validator(mode="after")
    def _exactly_one(self) -> AnswerPermission:
        if (self.option_id is None) == (self.outcome is None):
            msg = "send either option_id or outcome"
            raise ValueError(msg)
        return self
