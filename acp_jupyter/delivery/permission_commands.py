"""What may be asked about rules and trusted folders."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from acp_jupyter.packets.base import Model
from acp_jupyter.packets.permission_notes import Rule

__all__ = [
    "ListRules",
    "ListTrust",
    "PermissionCommand",
    "RevokeRule",
    "RevokeTrust",
    "RuleEntry",
    "TrustFolder",
]


class ListRules(Model):
    """The rules that are remembered, of one session and its folder or of all."""

    name: Literal["list_rules"] = "list_rules"
    session_id: str = ""


class RevokeRule(Model):
    """Forget a rule."""

    name: Literal["revoke_rule"] = "revoke_rule"
    rule_id: str = Field(min_length=1, max_length=100)


class TrustFolder(Model):
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


class ListTrust(Model):
    """The trusted folders."""

    name: Literal["list_trust"] = "list_trust"


class RevokeTrust(Model):
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


PermissionCommand = ListRules | RevokeRule | TrustFolder | ListTrust | RevokeTrust
