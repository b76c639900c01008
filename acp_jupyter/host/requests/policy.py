"""Policies: which permission requests are answered without asking, and how.

A policy and a rule answer only on evidence: the joined tool call names its kind and its paths,
command or address, nothing in it is left that is not understood, and the request offers exactly
one ``allow_once``. Everything else is asked.

A kernel's proof stands for code that may be anybody's. So it says how the permission requests of
its own prompts are answered, and never those of a prompt that a user sends, edits or adds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, assert_never

from acp_jupyter.host.requests.protected_paths import SessionFolder
from acp_jupyter.host.requests.rules.rules import CurrentRules, Facts, facts_of, rule_on
from acp_jupyter.protocol.host_events.session import Policy, Rule
from acp_jupyter.transcript.model.session_state import SessionState, TurnState
from acp_jupyter.transcript.model.tool_items import PermissionOption, ToolCall
from acp_jupyter.transcript.permissions.evidence import is_question, sole_allow_once
from acp_jupyter.transcript.permissions.rule_text import rule_text

Verdict = Literal["allow", "reject", "ask"]

_NOWHERE = SessionFolder(None)
_WITH_PATHS = frozenset({"read", "search", "edit", "delete", "move"})
"""Kinds of which ``allow-all`` allows any path, so also one in a field that is not understood."""

CHANGES_NOTHING: frozenset[Policy] = frozenset({"read-only", "deny"})
"""Policies under which an agent may change nothing, whether or not it asks."""

STRICTEST_FIRST: tuple[Policy, ...] = ("deny", "read-only", "ask", "accept-edits", "allow-all")


@dataclass(frozen=True, slots=True)
class Decision:
    """An answer that a policy or a rule gives."""

    option_id: str
    rule: str
    """Its name: the policy, or the rule as it is written."""
    by: Literal["policy", "rule"] = "policy"


_NO_RULES = CurrentRules()


def decide(
    policy: Policy,
    call: ToolCall,
    options: tuple[PermissionOption, ...],
    standing: CurrentRules = _NO_RULES,
    folder: SessionFolder = _NOWHERE,
) -> Decision | None:
    """Answer a request by policy or rule; None asks the user. May block on the disk.

    In this order: a rule that denies, a rule of the turn that allows, the policy, a remembered
    rule that allows. So what is remembered widens ``ask``, and never undoes a refusal.

    Parameters
    ----------
    policy
        Of the turn.
    call
        The tool call as joined from all that is known of it; its paths are
        relative where they lie inside the session's folder.
    options
        What the agent offers.
    standing
        The rules.
    folder
        The session's folder.
    """
    if is_question(call, options):
        return None
    facts = facts_of(call, folder)
    ruling = rule_on(standing.rules, facts)
    if ruling.denied is not None:
        return _answer(reject_option(options), ruling.denied)
    may_allow = ruling.clear and standing.known
    now = rule_on((rule for rule in standing.rules if rule.scope == "turn"), facts).allowed
    if now is not None and may_allow:
        return _answer(sole_allow_once(options), now)
    verdict = _by_policy(policy, facts)
    match verdict:
        case "reject":
            return _answer(reject_option(options), policy)
        case "allow":
            sure = may_allow and ruling.sure
            return _answer(sole_allow_once(options), policy) if sure else None
        case "ask":
            remembered = ruling.allowed if may_allow else None
            return None if remembered is None else _answer(sole_allow_once(options), remembered)
        case _:
            assert_never(verdict)


def reject_option(options: tuple[PermissionOption, ...]) -> str | None:
    """Return the option that rejects once, or any that rejects."""
    kinds = {option.option_kind: option.option_id for option in reversed(options)}
    return kinds.get("reject_once", kinds.get("reject_always"))


def _answer(option_id: str | None, why: Rule | Policy) -> Decision | None:
    if option_id is None:
        return None
    if isinstance(why, Rule):
        return Decision(option_id, rule_text(why), "rule")
    return Decision(option_id, why)


def _by_policy(policy: Policy, facts: Facts) -> Verdict:
    match policy:
        case "ask":
            return "ask"
        case "deny":
            return "reject"
        case "read-only":
            secret = any(spot is None or spot.secret for spot in facts.paths)
            looks = facts.kind in {"read", "search"}
            return "allow" if looks and facts.inside and not secret else "reject"
        case "accept-edits":
            protected = any(spot is None or spot.protected for spot in facts.paths)
            return "allow" if facts.kind == "edit" and facts.inside and not protected else "ask"
        case "allow-all":
            named = facts.names_something and (facts.understood or facts.kind in _WITH_PATHS)
            return "allow" if facts.kind != "other" and named else "ask"
        case _:
            assert_never(policy)


_ALLOWS: dict[Policy, frozenset[str]] = {
    "deny": frozenset(),
    "ask": frozenset(),
    "read-only": frozenset({"read"}),
    "accept-edits": frozenset({"edit"}),
    "allow-all": frozenset({"read", "edit", "execute"}),
}
"""What each allows without asking."""


def follow_up_policy(turn: TurnState, session: SessionState) -> tuple[Policy, tuple[Rule, ...]]:
    """Return the policy and the rules of a user's prompt in place of a kernel's turn, or after it.

    It allows nothing that the session's own policy doesn't, and no more than the turn did. What
    the turn's rules deny stays denied.
    """
    ours, theirs = _ALLOWS[session.policy], _ALLOWS[turn.policy]
    policy: Policy = "ask"
    if theirs <= ours:
        policy = turn.policy
    elif ours < theirs:
        policy = session.policy
    return policy, denials(turn)


def denials(turn: TurnState) -> tuple[Rule, ...]:
    """Return the rules of a turn that deny something."""
    return tuple(rule for rule in turn.rules if rule.effect == "deny")
