"""What rules say of a permission request."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from acp_jupyter.host.permissions_paths import Places, Spot
from acp_jupyter.host.rules.match import match_address, match_command, match_path
from acp_jupyter.packets.permission_notes import Rule
from acp_jupyter.transcript.evidence import Evidence, evidence_of
from acp_jupyter.transcript.items import ToolCall

__all__ = ["Facts", "Ruling", "facts_of", "rule_on"]


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a call, and where its paths lie."""

    kind: str
    """As the call says, with or without evidence."""
    evidence: Evidence | None = None
    spots: tuple[Spot | None, ...] = ()
    """Of its paths; None for one outside the folder, or that can't be told."""
    names_something: bool = False
    """Whether a path, a command or an address is named at all."""

    @property
    def inside(self) -> bool:
        """Whether there are paths, and all lie inside the folder."""
        return bool(self.spots) and None not in self.spots


@dataclass(frozen=True, slots=True)
class Ruling:
    """What rules say."""

    denied: Rule | None = None
    allowed: Rule | None = None
    clear: bool = True
    """Whether every rule that denies could be looked at; else nothing may be allowed."""


def facts_of(call: ToolCall, places: Places) -> Facts:
    """Look at a call, and at the disk behind its paths. May block."""
    evidence = evidence_of(call, places.cwd)
    spots = () if evidence is None else tuple(map(places.spot, evidence.paths))
    named = bool(evidence or call.command or call.path or call.locations or call.diffs)
    return Facts(call.tool_kind, evidence, spots, named)


def rule_on(rules: Iterable[Rule], facts: Facts) -> Ruling:
    """Apply rules. One that denies wins; one that can't be applied allows nothing."""
    of_kind = [rule for rule in rules if rule.tool_kind == facts.kind]
    verdicts = [(rule, _denies(rule, facts)) for rule in of_kind if rule.effect == "deny"]
    denied = next((rule for rule, verdict in verdicts if verdict), None)
    clear = all(verdict is not None for _, verdict in verdicts)
    allowing = (rule for rule in of_kind if rule.effect == "allow" and _allows(rule, facts))
    return Ruling(denied, next(allowing, None), clear)


def _denies(rule: Rule, facts: Facts) -> bool | None:
    """Tell whether a rule denies a call of its kind; None where that can't be told."""
    if not rule.pattern:
        return True
    evidence = facts.evidence
    if evidence is None:
        return None
    if evidence.kind == "execute":
        return match_command(rule.pattern, evidence.command)
    if evidence.kind == "fetch":
        return match_address(rule.pattern, evidence.url)
    # Some file systems do not mind the case.
    pattern = rule.pattern.casefold()
    paths = [path.casefold() for spot in facts.spots if spot for path in (spot.named, spot.real)]
    if any(match_path(pattern, path) for path in paths):
        return True
    return False if facts.inside else None


def _allows(rule: Rule, facts: Facts) -> bool:
    evidence = facts.evidence
    if evidence is None:
        return False
    if evidence.kind == "execute":
        return match_command(rule.pattern, evidence.command) is True
    if evidence.kind == "fetch":
        return match_address(rule.pattern, evidence.url) is True
    return facts.inside and all(spot and _allows_spot(rule, spot) for spot in facts.spots)


def _allows_spot(rule: Rule, spot: Spot) -> bool:
    """What configures later runs is allowed by its own name only."""
    if spot.protected and rule.tool_kind not in {"read", "search"}:
        return rule.pattern == spot.named == spot.real
    both = (spot.named, spot.real)
    return not rule.pattern or all(match_path(rule.pattern, path) for path in both)
