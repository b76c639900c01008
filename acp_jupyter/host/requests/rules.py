"""The rules of a session, and how they match a request's command, paths or address.

A rule allows or denies a kind of calls without asking, for one cell, a session or a folder. So a
session has the rules of its running turn, its own and its folder's. A request is allowed if rules
allow every part of it, and denied if one rule denies any part. Rules of folders are saved by
`acp_jupyter.host.store.permission_stores`.
"""

from __future__ import annotations

import logging
import re
import time
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

from acp_jupyter.errors import BadRequest, SharedFileBroken
from acp_jupyter.host.requests.protected_paths import compared_names, is_protected
from acp_jupyter.host.requests.rule_commands import Denial, allowing, denial
from acp_jupyter.host.requests.session_folder import FolderPath, SessionFolder
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.host.store.permission_stores import RulesStore, same_rule
from acp_jupyter.protocol.host_events.session import Rule, RuleEffect, RulesChanged, RuleScope
from acp_jupyter.transcript.model.tool_items import ToolCall
from acp_jupyter.transcript.permission_evidence import Evidence, contents_of
from acp_jupyter.transcript.rule_text import RuleTextError, read_rule

_logger = logging.getLogger(__name__)
_MAX_RULES = 500
_MAX_OF_TURN = 100


def turn_rules(allow: tuple[str, ...], deny: tuple[str, ...]) -> tuple[Rule, ...]:
    """Parse the rules of a turn."""
    if len(allow) + len(deny) > _MAX_OF_TURN:
        raise BadRequest(f"A turn has at most {_MAX_OF_TURN} rules.")
    denied = (_read(text, "deny", "turn") for text in deny)
    return (*denied, *(_read(text, "allow", "turn") for text in allow))


def _counting(rules: tuple[Rule, ...], user: str) -> tuple[Rule, ...]:
    """Return the rules for a user's prompt: all that deny, and the user's own that allow.

    A kernel's prompt has no user, as anyone's code may run there, so all rules apply.
    """
    return tuple(r for r in rules if r.effect == "deny" or not user or r.user in {"", user})


def _read(text: str, effect: RuleEffect, scope: RuleScope) -> Rule:
    try:
        return read_rule(text, effect=effect, scope=scope, rule_id=uuid.uuid4().hex, at=time.time())
    except RuleTextError as error:
        raise BadRequest(str(error)) from None


class SessionRules:
    """Adds, removes and lists the rules of a session.

    Parameters
    ----------
    folder
        The session's folder; for a variant, the folder that was copied.
    """

    def __init__(
        self,
        journal: Journal,
        folder: Path,
        store: RulesStore,
        session_folder: SessionFolder,
    ) -> None:
        self._journal = journal
        self._store = store
        self.folder = folder
        self.session_folder = session_folder

    def current(self) -> CurrentRules:
        """Return the rules that apply now. Blocks on the disk; may be called in any thread."""
        session = self._journal.transcript.session
        turn = self._journal.transcript.turns.get(session.active_turn_id or "")
        user = "" if turn is None else turn.user
        own = (*(() if turn is None else turn.rules), *_counting(session.rules, user))
        try:
            return CurrentRules((*own, *_counting(self._store.of(self.folder), user)))
        except SharedFileBroken as error:
            _logger.warning("%s Until then everything is asked.", error.message)
            return CurrentRules(own, known=False)

    def read(self, text: str, effect: RuleEffect, scope: RuleScope, user: str = "") -> Rule:
        """Parse a rule of a user."""
        return _read(text, effect, scope).model_copy(update={"user": user})

    def add(self, rule: Rule) -> None:
        """Add a rule to the session."""
        rules = self._journal.transcript.session.rules
        if len(rules) >= _MAX_RULES:
            raise BadRequest(f"This session has {_MAX_RULES} rules. Remove some first.")
        if not any(same_rule(rule, known) for known in rules):
            self._journal.note(RulesChanged(rules=(*rules, rule)))

    def add_to_folder(self, rule: Rule) -> None:
        """Save a rule for all sessions in the folder. Blocks."""
        self._store.add(self.folder, rule)

    def remove(self, rule_id: str) -> bool:
        """Remove a rule of the session; return whether it existed."""
        rules = self._journal.transcript.session.rules
        left = tuple(rule for rule in rules if rule.id != rule_id)
        if len(left) == len(rules):
            return False
        self._journal.note(RulesChanged(rules=left))
        return True


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of a call that rules use: kind, command, resolved paths, address."""

    kind: str
    """The call's kind, even if there is no evidence."""
    evidence: Evidence | None = None
    paths: tuple[FolderPath | None, ...] = ()
    """The call's paths; None for one outside the folder or unknown."""
    understood: bool = True
    """Whether every field of the call is understood."""
    names_something: bool = False
    """Whether the call names any path, command or address."""
    folder: str = ""
    """The session's folder as agents write it."""
    real_name: Callable[[str], str | None] = field(default=lambda _: None, compare=False)
    """Resolves a path of a rule in the same way as the call's paths. May block."""

    @property
    def inside(self) -> bool:
        """Whether the call has paths, all of them are known, and all are inside the folder."""
        clear = self.understood and self.evidence is not None and self.evidence.clear
        return clear and bool(self.paths) and None not in self.paths


@dataclass(frozen=True, slots=True)
class Ruling:
    """The result of applying rules."""

    denied: Rule | None = None
    allowed: Rule | None = None
    clear: bool = True
    """Whether all rules that deny could be applied; otherwise nothing may allow the call."""
    sure: bool = True
    """Whether also no program may run what such a rule names; otherwise no policy may allow it."""


def facts_of(call: ToolCall, folder: SessionFolder) -> Facts:
    """Return the facts of a call, with its paths resolved on disk. May block."""
    contents = contents_of(call, folder.cwd)
    evidence = contents.evidence
    spots = () if evidence is None else folder.locate_all(evidence.paths)
    named = bool(evidence or call.command or call.path or call.locations or call.diffs)
    understood, cwd = contents.understood, folder.cwd
    return Facts(call.tool_kind, evidence, spots, understood, named, cwd, folder.real_name)


def rule_on(rules: Iterable[Rule], facts: Facts) -> Ruling:
    """Apply rules. Rules that deny take precedence; rules that can't be applied allow nothing.

    May block on the disk, as a path in a rule may be a link.
    """
    of_kind = [rule for rule in rules if rule.tool_kind == facts.kind]
    verdicts = [(rule, _denies(rule, facts)) for rule in of_kind if rule.effect == "deny"]
    denied = next((rule for rule, verdict in verdicts if verdict is Denial.YES), None)
    worst = max((verdict for _, verdict in verdicts), default=Denial.NO)
    allowed = _allowed([rule for rule in of_kind if rule.effect == "allow"], facts)
    return Ruling(denied, allowed, worst < Denial.UNKNOWN, worst < Denial.PERHAPS)


def _denies(rule: Rule, facts: Facts) -> Denial:
    """Return whether a rule denies a call of its kind."""
    if not rule.pattern:
        return Denial.YES
    evidence = facts.evidence
    if evidence is None:
        return Denial.UNKNOWN
    if evidence.kind == "execute":
        return denial(rule.pattern, evidence.command)
    if evidence.kind == "fetch":
        match = match_address(rule.pattern, evidence.url)
        return Denial.UNKNOWN if match is None else Denial.YES if match else Denial.NO
    known = {"/".join(compared_names(name)) for spot in facts.paths if spot for name in spot.names}
    patterns = {rule.pattern, _with_links_resolved(rule.pattern, facts)}
    spelled = {"/".join(compared_names(pattern)) for pattern in patterns}
    if any(match_path(pattern, name) for pattern in spelled for name in known):
        return Denial.YES
    return Denial.NO if facts.inside else Denial.UNKNOWN


def _with_links_resolved(pattern: str, facts: Facts) -> str:
    """Return a rule's pattern with the links resolved in the part before the first wildcard."""
    names = pattern.split("/")
    plain = next((end for end, name in enumerate(names) if "*" in name), len(names))
    real = facts.real_name("/".join(names[:plain]) or ".") if facts.paths else None
    if real is None:
        return pattern
    return "/".join([*real.split("/"), *names[plain:]][real == "." :] or ["."])


def _allowed(rules: list[Rule], facts: Facts) -> Rule | None:
    evidence = facts.evidence
    if evidence is None or not (facts.understood and evidence.clear):
        return None
    if evidence.kind == "execute":
        patterns = (rule.pattern for rule in rules)
        matched = allowing(patterns, evidence.command, facts.folder) if evidence.plain else None
        return None if matched is None else rules[matched]
    if evidence.kind == "fetch":
        url = evidence.url
        return next((rule for rule in rules if match_address(rule.pattern, url)), None)
    return next((r for r in rules if all(s and _allows_path(r, s) for s in facts.paths)), None)


def _allows_path(rule: Rule, spot: FolderPath) -> bool:
    """Return whether a rule allows a path; a protected one must be named exactly.

    The file counts, and not a link to it; to delete or move a link, both must match.
    """
    if rule.tool_kind in {"delete", "move"}:
        both = {spot.at, spot.real}
        if spot.protected:
            return both == {rule.pattern}
        return not rule.pattern or all(match_path(rule.pattern, path) for path in both)
    only_reads = rule.tool_kind in {"read", "search"}
    exact = rule.pattern in {spot.real, *spot.links}
    if spot.secret if only_reads else spot.protected:
        # A link with a protected name could be replaced by a file.
        return exact and (only_reads or spot.at == spot.real or not is_protected(spot.at))
    return not rule.pattern or exact or match_path(rule.pattern, spot.real)


_MAX_URL_CHARS = 4000


def match_path(pattern: str, path: str) -> bool:
    """Return whether a relative path matches a pattern."""
    return _parts(tuple(pattern.split("/")), tuple(path.split("/")))


@lru_cache(maxsize=1024)
def _parts(pattern: tuple[str, ...], path: tuple[str, ...]) -> bool:
    reached = {0}
    for part in pattern:
        if part == "**":
            reached = set(range(min(reached), len(path) + 1)) if reached else reached
        else:
            wanted = re.sub(r"([\[?])", r"[\1]", part)
            reached = {i + 1 for i in reached if i < len(path) and fnmatchcase(path[i], wanted)}
    return len(path) in reached


def match_address(pattern: str, url: str) -> bool | None:
    """Return whether an address matches a pattern; None if that is unclear."""
    address = _canonical(url)
    if address is None:
        return None
    whole = pattern.removesuffix("*")
    wanted = _canonical(whole)
    if wanted is None:
        return None
    if whole == pattern or "#" in whole:  # a fragment is not sent
        return address == wanted
    return address.startswith(wanted + "?" * whole.endswith("?"))


def _canonical(url: str) -> str | None:
    """Return an address in its canonical spelling; None for odd ones."""
    odd = len(url) > _MAX_URL_CHARS or not url.isprintable() or "\\" in url or " " in url
    if odd:
        return None
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if parts.scheme not in {"http", "https"} or not host or "@" in parts.netloc:
        return None
    path = parts.path or "/"
    if ".." in path.split("/") or re.search(r"%(2e|2f|5c|00)", path, re.IGNORECASE):
        return None
    path, query = _spelled(path), _spelled(parts.query)
    usual = {"http": 80, "https": 443}[parts.scheme]
    where = host.rstrip(".") + (f":{port}" if port not in {None, usual} else "")
    return f"{parts.scheme}://{where}{path}" + (f"?{query}" if query else "")


def _spelled(part: str) -> str:
    """Return a part of an address without unnecessary escapes (RFC 3986)."""

    def character(escape: re.Match[str]) -> str:
        found = chr(int(escape[1], 16))
        plain = found.isascii() and (found.isalnum() or found in "-._~")
        return found if plain else escape[0].upper()

    return re.sub(r"%([0-9A-Fa-f]{2})", character, part)


@dataclass(frozen=True, slots=True)
class CurrentRules:
    """The rules that apply to a request."""

    rules: tuple[Rule, ...] = ()
    known: bool = True
    """Whether all rules could be read; otherwise nothing is allowed."""
