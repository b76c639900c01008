"""What rules say of a permission request."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from acp_jupyter.host.permissions_paths import Places, Spot
from acp_jupyter.host.rules.commands import Denial, allowing, denial
from acp_jupyter.host.rules.match import match_address, match_path
from acp_jupyter.protocol.host_events.permissions import Rule
from acp_jupyter.transcript.model.tool_items import ToolCall
from acp_jupyter.transcript.permissions.evidence import Evidence, evidence_of

__all__ = ["Facts", "Ruling", "facts_of", "rule_on"]


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a call, and where its paths lie."""

    kind: str
    """As the call says, with or without evidence."""
    evidence: Evidence | None = None
    paths: tuple[Spot | None, ...] = ()
    """Of its paths; None for one outside the folder, or that can't be told."""
    names_something: bool = False
    """Whether a path, a command or an address is named at all."""
    folder: str = ""
    """Of the session, as agents write it."""

    @property
    def inside(self) -> bool:
        """Whether there are paths, no other field may name one, and all lie inside the folder."""
        return self.understood and bool(self.paths) and None not in self.paths

    @property
    def understood(self) -> bool:
        """Whether nothing is known to be said beside what is understood."""
        return self.evidence is None or self.evidence.understood


@dataclass(frozen=True, slots=True)
class Ruling:
    """What rules say."""

    denied: Rule | None = None
    allowed: Rule | None = None
    clear: bool = True
    """Whether every rule that denies could be looked at; else nothing may be allowed."""
    sure: bool = True
    """Whether, too, no program may run what such a rule names; else no policy may allow."""


def facts_of(call: ToolCall, folder: Places) -> Facts:
    """Look at a call, and at the disk behind its paths. May block."""
    evidence = evidence_of(call, folder.cwd)
    spots = () if evidence is None else tuple(map(folder.locate, evidence.paths))
    named = bool(evidence or call.command or call.path or call.locations or call.diffs)
    return Facts(call.tool_kind, evidence, spots, named, folder.cwd)


def rule_on(rules: Iterable[Rule], facts: Facts) -> Ruling:
    """Apply rules. One that denies wins; one that can't be applied allows nothing."""
    of_kind = [rule for rule in rules if rule.tool_kind == facts.kind]
    verdicts = [(rule, _denies(rule, facts)) for rule in of_kind if rule.effect == "deny"]
    denied = next((rule for rule, verdict in verdicts if verdict is Denial.YES), None)
    worst = max((verdict for _, verdict in verdicts), default=Denial.NO)
    allowed = _allowed([rule for rule in of_kind if rule.effect == "allow"], facts)
    return Ruling(denied, allowed, worst < Denial.UNKNOWN, worst < Denial.PERHAPS)


def _denies(rule: Rule, facts: Facts) -> Denial:
    """Tell whether a rule denies a call of its kind."""
    if not rule.pattern:
        return Denial.YES
    evidence = facts.evidence
    if evidence is None:
        return Denial.UNKNOWN
    at_least = Denial.NO if facts.understood else Denial.UNKNOWN
    if evidence.kind == "execute":
        return max(denial(rule.pattern, evidence.command), at_least)
    if evidence.kind == "fetch":
        match = match_address(rule.pattern, evidence.url)
        return Denial.UNKNOWN if match is None else Denial.YES if match else at_least
    # Some file systems do not mind the case.
    pattern = rule.pattern.casefold()
    paths = [path.casefold() for spot in facts.paths if spot for path in (spot.named, spot.real)]
    if any(match_path(pattern, path) for path in paths):
        return Denial.YES
    return Denial.NO if facts.inside else Denial.UNKNOWN


def _allowed(rules: list[Rule], facts: Facts) -> Rule | None:
    evidence = facts.evidence
    if evidence is None or not evidence.understood:
        return None
    if evidence.kind == "execute":
        patterns = (rule.pattern for rule in rules)
        place = allowing(patterns, evidence.command, facts.folder) if evidence.plain else None
        return None if place is None else rules[place]
    if evidence.kind == "fetch":
        url = evidence.url
        return next((rule for rule in rules if match_address(rule.pattern, url)), None)
    inside = (rule for rule in rules if all(s and _allows_spot(rule, s) for s in facts.paths))
    return next(inside, None) if facts.inside else None


def _allows_spot(rule: Rule, spot: Spot) -> bool:
    """What is protected is allowed by its own name only."""
    looks = rule.tool_kind in {"read", "search"}
    if spot.secret if looks else spot.protected:
        return rule.pattern == spot.named == spot.real
    both = (spot.named, spot.real)
    return not rule.pattern or all(match_path(rule.pattern, path) for path in both)
