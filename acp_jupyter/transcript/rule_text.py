"""Rules as people write them: ``execute:git status *``, ``edit:src/**``, ``read``.

A rule is a kind, and after a colon which commands, paths or addresses of that kind. A command is
written word by word. Where it allows, ``*`` stands for a part of one name, and as the last word for
further words that stay in the folder, options among them but for those that write or run something
(``--output=a``, ``-o``, ``--exec``). Where it denies, ``*`` stands for anything. Paths are relative
to the session's folder; ``*`` stays within one folder, ``**`` does not. An address
is a beginning with ``*`` at its end, or the whole.

A rule covers plain commands only: `plain_words` tells whether a command is one, and which words it
has.
"""

from __future__ import annotations

import difflib
import os
import posixpath
import re
import shlex
from typing import assert_never, get_args
from urllib.parse import urlsplit

from acp_jupyter.protocol.host_events.session import Rule, RuleEffect, RuleKind, RuleScope
from acp_jupyter.transcript.model.tool_items import WiderRule
from acp_jupyter.transcript.permission_evidence import Contents

_KINDS: tuple[RuleKind, ...] = get_args(RuleKind)
_RULE_CHARS = 1000
_VERBS: dict[RuleKind, str] = {
    "read": "read",
    "search": "search in",
    "edit": "edit",
    "delete": "delete",
    "move": "move",
    "execute": "run",
    "fetch": "fetch",
}


class RuleTextError(ValueError):
    """A rule that can't be understood; the message says what to type."""


def read_rule(
    text: str, *, effect: RuleEffect, scope: RuleScope, rule_id: str, at: float = 0.0
) -> Rule:
    """Read a rule."""
    name, colon, pattern = (part.strip() for part in text.partition(":"))
    kind = next((kind for kind in _KINDS if kind == name), None)
    if kind is None:
        close = difflib.get_close_matches(name, _KINDS, 1)
        hint = f"Type {close[0]}" if close else f"A rule begins with one of: {', '.join(_KINDS)}"
        raise RuleTextError(f"{text!r} is not a rule. {hint}, for example execute:git status *")
    if colon and not pattern:
        raise RuleTextError(f"{text!r} names nothing after the colon.")
    if len(pattern) > _RULE_CHARS or not pattern.isprintable():
        raise RuleTextError(f"A rule has at most {_RULE_CHARS} characters, and no invisible ones.")
    match kind:
        case "execute":
            pattern = _command(pattern, effect)
        case "fetch":
            _check_address(pattern, effect)
        case "read" | "search" | "edit" | "delete" | "move":
            pattern = _path(pattern)
        case _:
            assert_never(kind)
    return Rule(
        id=rule_id,
        scope=scope,
        effect=effect,
        tool_kind=kind,
        pattern=pattern,
        words=_rule_text(effect, kind, pattern),
        created_at=at,
    )


def rule_text(rule: Rule) -> str:
    """Return a rule as it would be written."""
    return f"{rule.tool_kind}:{rule.pattern}" if rule.pattern else rule.tool_kind


def rule_for(contents: Contents) -> str:
    """Return the rule that covers exactly what a request contains; empty where none can.

    It is what remembering an answer means: this command, this file, this address.
    """
    evidence = contents.evidence
    if evidence is None or not (contents.understood and evidence.clear and evidence.plain):
        return ""
    match evidence.kind:
        case "execute":
            words = plain_words(evidence.command)
            pattern = "" if words is None else shlex.join(words)
        case "fetch":
            pattern = evidence.url
        case _:
            pattern = evidence.paths[0] if len(evidence.paths) == 1 else ""
    if not pattern or "*" in pattern:
        return ""
    text = f"{evidence.kind}:{pattern}"
    try:
        read = read_rule(text, effect="allow", scope="session", rule_id="")
    except RuleTextError:
        return ""
    return text if read.pattern == pattern else ""


_ALL: dict[RuleKind, str] = {
    "read": "All reads",
    "search": "All searches",
    "edit": "All edits",
    "delete": "All deletions",
    "move": "All moves",
}


def wider_rules_for(contents: Contents) -> tuple[WiderRule, ...]:
    """Return the rules that allow a request and others like it: in its folder, and of its kind."""
    evidence = contents.evidence
    if evidence is None or evidence.kind not in _ALL:
        return ()
    if not (contents.understood and evidence.clear and evidence.paths):
        return ()
    if not all(_is_inside(path) for path in evidence.paths):
        return ()
    kind, folder = evidence.kind, posixpath.commonpath(map(posixpath.dirname, evidence.paths))
    every = WiderRule(text=kind, words=_ALL[kind])
    if not folder or "*" in folder:
        return (every,)
    return (WiderRule(text=f"{kind}:{folder}/**", words=f"Files in {folder}"), every)


def _is_inside(path: str) -> bool:
    """Return whether a path, as its call names it, is relative and stays in the folder."""
    try:
        return _path(path) == path
    except RuleTextError:
        return False


def pattern_words(pattern: str) -> tuple[str, ...]:
    """Return the words of a command's pattern."""
    return tuple(shlex.split(pattern))


def _command(pattern: str, effect: RuleEffect) -> str:
    if not pattern:
        if effect == "deny":
            return ""
        raise RuleTextError("Say which command, for example execute:git status *")
    words = plain_words(pattern.replace("*", "x"))
    if words is None:
        raise RuleTextError(
            f"{pattern!r} is not a plain command: no pipes, variables, redirections, or brackets."
        )
    if effect == "allow" and "*" in pattern_words(pattern)[0]:
        raise RuleTextError("The program itself must be named, for example execute:git status *")
    return pattern


def _check_address(pattern: str, effect: RuleEffect) -> None:
    if not pattern and effect == "deny":
        return
    example = "Type, for example, fetch:https://docs.python.org/*"
    try:
        parts = urlsplit(pattern)
        host = parts.hostname
    except ValueError:
        raise RuleTextError(f"{pattern!r} is not an address. {example}") from None
    whole = pattern.removesuffix("*")
    if parts.scheme not in {"http", "https"} or not host or "@" in parts.netloc:
        raise RuleTextError(f"{pattern!r} is not an address. {example}")
    if "*" in whole or (whole != pattern and not parts.path):
        raise RuleTextError(f"A * may only be the end of an address, after a /. {example}")


def _path(pattern: str) -> str:
    if not pattern:
        return ""
    parts = re.split(r"[/\\]", pattern)
    if pattern.startswith(("/", "~", "\\")) or ".." in parts or ":" in pattern[:3]:
        raise RuleTextError(
            f"{pattern!r} leads out of the folder. Write paths relative to it, for example src/**"
        )
    if any("**" in part and part != "**" for part in parts):
        raise RuleTextError(f"{pattern!r}: write ** as a whole part of a path, for example src/**")
    return posixpath.normpath(pattern.replace("\\", "/"))


def _rule_text(effect: RuleEffect, kind: RuleKind, pattern: str) -> str:
    may = "May" if effect == "allow" else "May not"
    what = pattern or {"execute": "any command", "fetch": "any address"}.get(
        kind, "any file in the folder"
    )
    return f"{may} {_VERBS[kind]} {what}"


_COMMAND_CHARS = 4000
WINDOWS_CHARACTERS = "%^'\\"
"""What cmd.exe reads in another way than a POSIX shell: variables and escapes, or plain text."""
_SHELL_CHARACTERS = frozenset(";&|<>()$`\\{}[]*?~!#") | (
    frozenset(WINDOWS_CHARACTERS) if os.name == "nt" else frozenset()
)
"""Characters with a meaning in a shell, even in quotes: if in doubt, ask."""


def plain_words(command: str) -> tuple[str, ...] | None:
    """Return the words of a command; None where a shell could do anything more than run them.

    Operators, substitutions, redirections, patterns, several lines, characters that can't be
    seen, and assignments before the command are all more.
    """
    if (
        len(command) > _COMMAND_CHARS
        or not command.isprintable()
        or not _SHELL_CHARACTERS.isdisjoint(command)
    ):
        return None
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    return tuple(words) if words and words[0] and "=" not in words[0] else None


def is_plain_command_list(command: str) -> bool:
    """Return whether a text may be plain commands one after the other, as far as characters say."""
    shown = command.replace("\n", ";")
    odd = _SHELL_CHARACTERS - frozenset(";&|")
    return len(shown) <= _COMMAND_CHARS and shown.isprintable() and odd.isdisjoint(shown)
