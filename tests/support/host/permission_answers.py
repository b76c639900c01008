"""Permission requests, and what policies and rules answer them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from acp_jupyter.host.requests.policy import decide
from acp_jupyter.host.requests.rules import CurrentRules
from acp_jupyter.host.requests.session_folder import SessionFolder
from acp_jupyter.protocol.host_events.session import Policy, Rule, RuleEffect, RuleScope
from acp_jupyter.transcript.model.tool_items import PermissionOption, ToolCall
from acp_jupyter.transcript.rule_text import read_rule
from tests.support.transcript.traffic import Script

OPTIONS = tuple(
    PermissionOption(option_id=name, name=name, option_kind=kind)
    for name, kind in (("always", "allow_always"), ("once", "allow_once"), ("no", "reject_once"))
)


def rule(text: str, effect: RuleEffect = "allow", scope: RuleScope = "session") -> Rule:
    """Read a rule."""
    return read_rule(text, effect=effect, scope=scope, rule_id=f"{effect} {text}")


def asked(kind: str, raw_input: dict[str, Any], cwd: str = "/ws", **fields: Any) -> ToolCall:
    """Return the tool call that an agent asks about, as its input makes it."""
    script = Script(cwd=cwd)
    script.turn()
    call = {"toolCallId": "c1", "kind": kind, "rawInput": raw_input, **fields}
    script.update("tool_call", **{"title": "x", **call}, status="pending")
    script.ask(call)
    return next(item for item in script.transcript.items if isinstance(item, ToolCall))


def answer(
    call: ToolCall, *rules: Rule, policy: Policy = "ask", root: Path | None = None
) -> str | None:
    """Return the option that is chosen without asking; None where the user is asked."""
    made = decide(policy, call, OPTIONS, CurrentRules(rules), SessionFolder(root))
    return None if made is None else made.option_id
