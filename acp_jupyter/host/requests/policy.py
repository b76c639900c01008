"""Policies: which permission requests are answered without the user, and how.

A policy or a rule answers only on evidence: the joined tool call names its kind and its paths,
command or address, every field in it is understood, and the request offers exactly one
``allow_once``. All other requests go to the user, also under ``allow-all``, which allows any path.

Anyone's code may run in a kernel. So a kernel sets the policy for its own prompts, and never for
a prompt that a user sends, edits or adds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, assert_never

from acp_jupyter.host.bounds import SANDBOXES
from acp_jupyter.host.requests.rules import CurrentRules, Facts, facts_of, rule_on
from acp_jupyter.host.requests.session_folder import SessionFolder
from acp_jupyter.protocol.host_events.session import Policy, Rule, RuleEffect, Sandbox
from acp_jupyter.transcript.model.session_state import SessionState, TurnState
from acp_jupyter.transcript.model.tool_items import PermissionOption, ToolCall
from acp_jupyter.transcript.permission_evidence import is_question, sole_allow_once
from acp_jupyter.transcript.rule_text import rule_text

Verdict = Literal["allow", "reject", "ask"]

_NOWHERE = SessionFolder(None)
CHANGES_NOTHING: frozenset[Policy] = frozenset({"read-only", "deny"})
"""Policies under which an agent may change nothing, even with permission."""

STRICTEST_FIRST: tuple[Policy, ...] = ("deny", "read-only", "ask", "accept-edits", "allow-all")


@dataclass(frozen=True, slots=True)
class Decision:
    """An answer by a policy or a rule."""

    option_id: str
    rule: str
    """The policy's name, or the rule's text."""
    by: Literal["policy", "rule"] = "policy"


_NO_RULES = CurrentRules()


def decide(
    policy: Policy,
    call: ToolCall,
    options: tuple[PermissionOption, ...],
    rules: CurrentRules = _NO_RULES,
    folder: SessionFolder = _NOWHERE,
) -> Decision | None:
    """Answer a request by policy or rule; None means: ask the user. May block on the disk.

    The order is: rules that deny, rules of the turn that allow, the policy, saved rules that
    allow. So saved rules widen ``ask``, and never undo a refusal.

    Parameters
    ----------
    call
        The tool call with all that is known of it; paths inside the session's folder are
        relative.
    """
    if is_question(call, options):
        return None
    facts = facts_of(call, folder)
    ruling = rule_on(rules.rules, facts)
    if ruling.denied is not None:
        return _answer(reject_option(options), ruling.denied)
    may_allow = ruling.clear and rules.known
    turn_rule = rule_on((rule for rule in rules.rules if rule.scope == "turn"), facts).allowed
    if turn_rule is not None and may_allow:
        return _answer(sole_allow_once(options), turn_rule)
    verdict = _by_policy(policy, facts)
    match verdict:
        case "reject":
            return _answer(reject_option(options), policy)
        case "allow":
            sure = may_allow and ruling.sure
            return _answer(sole_allow_once(options), policy) if sure else None
        case "ask":
            saved_rule = ruling.allowed if may_allow else None
            return None if saved_rule is None else _answer(sole_allow_once(options), saved_rule)
        case _:
            assert_never(verdict)


def reject_option(options: tuple[PermissionOption, ...]) -> str | None:
    """Return the option that rejects once, or else any that rejects."""
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
            only_reads = facts.kind in {"read", "search"}
            return "allow" if only_reads and facts.inside and not secret else "reject"
        case "accept-edits":
            plain = all(
                spot is not None and spot.plain and not spot.protected for spot in facts.paths
            )
            return "allow" if facts.kind == "edit" and facts.inside and plain else "ask"
        case "allow-all":
            named = facts.names_something and facts.understood
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
"""A coarse order of the policies, only to compare two; `_by_policy` decides what is allowed."""


def follow_up_policy(turn: TurnState, session: SessionState) -> tuple[Policy, tuple[Rule, ...]]:
    """Return policy and rules for a user's prompt that replaces or follows a kernel's turn.

    They allow only what both the session's policy and the turn's policy allow, and keep the turn's
    rules that deny.
    """
    ours, theirs = _ALLOWS[session.policy], _ALLOWS[turn.policy]
    policy: Policy = "ask"
    if theirs <= ours:
        policy = turn.policy
    elif ours < theirs:
        policy = session.policy
    return policy, denials(turn)


def allows_no_more(turn: TurnState, than: TurnState) -> bool:
    """Return whether a turn allows nothing without the user that another one does not."""
    order = STRICTEST_FIRST.index
    stricter = order(turn.policy) <= order(than.policy)
    within = SANDBOXES.index(_sandbox(turn)) >= SANDBOXES.index(_sandbox(than))
    return (
        stricter
        and within
        and _ALLOWS[turn.policy] <= _ALLOWS[than.policy]
        and _rules(turn, "allow") <= _rules(than, "allow")
        and _rules(turn, "deny") >= _rules(than, "deny")
    )


def _sandbox(turn: TurnState) -> Sandbox:
    return sandbox_under(turn.policy, turn.sandbox)


def sandbox_under(policy: Policy, sandbox: Sandbox) -> Sandbox:
    """Return the sandbox under a policy: ``read-only`` if the policy forbids all changes."""
    return "read-only" if policy in CHANGES_NOTHING else sandbox


def _rules(turn: TurnState, effect: RuleEffect) -> set[str]:
    return {rule_text(rule) for rule in turn.rules if rule.effect == effect}


def denials(turn: TurnState) -> tuple[Rule, ...]:
    """Return the turn's rules that deny."""
    return tuple(rule for rule in turn.rules if rule.effect == "deny")
