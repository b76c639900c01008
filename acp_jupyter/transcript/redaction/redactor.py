"""The redactor: replaces known secrets, and what looks like one, in texts and JSON values."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Self
from urllib.parse import quote

from acp_jupyter.transcript.redaction.secret_patterns import PATTERNS, maybe_secret

REDACTED = "[redacted]"

_MIN_SECRET_CHARS = 8
_QUICK_CHARS = 8 * 1024
_SECRET_NAME = re.compile(
    r"(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|COOKIE)S?(?:_|$)"
    r"|^PAT$|_PAT$|_PWD$|PGPASS|_AUTH$|(?:^|_)DSN$|CONN(?:ECTION)?_?STR(?:ING)?(?:_|$)"
    r"|(?:^|_)JWT(?:_|$)|(?:^|_)PRIVATE(?:_|$)",
    re.IGNORECASE,
)
_IN_ADDRESS = re.compile(r"://[^\s/:@]{0,200}+:([^\s/@]{1,200}+)@")
_IN_PARTS = re.compile(r"(?i:password|pwd|key|secret|token)=([^;&\s]{1,500}+)")
_NAMES = re.compile(r"(?i:pass|pwd|token|secret|key|authorization)")


def named_secrets(variables: Mapping[str, str]) -> set[str]:
    """Return the values of variables that are named like secrets, and passwords in addresses.

    Of a connection string its parts, too.
    """
    found: set[str] = set()
    for name, value in variables.items():
        found.update(_IN_ADDRESS.findall(value))
        if _SECRET_NAME.search(name):
            found.add(value)
            found.update(_IN_PARTS.findall(value))
    return found


class KnownSecrets:
    """Values that must never be written down, as they become known.

    Those of a source, such as a file, take the place of what it had before. One object serves all
    redactors of a host; it may be used by any thread.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of: dict[str, frozenset[str]] = {}
        self.values: frozenset[str] = frozenset()
        """All of them."""

    def put(self, source: str, values: Iterable[str]) -> None:
        """Know what a source has, and no more what else it had.

        Short ones are left alone: they would match everywhere.
        """
        spelt = {way for value in values for way in (value, quote(value, safe=""))}
        usable = frozenset(way for way in spelt if len(way) >= _MIN_SECRET_CHARS)
        with self._lock:
            if self._of.get(source, frozenset()) != usable:
                self._of[source] = usable
                self.values = frozenset().union(*self._of.values())


class Redactor:
    """Replaces known secrets, and what looks like one, in text and in JSON values.

    A secret that an agent spells out over several messages is found where their text is joined,
    not in each of them. Every part takes time in proportion to the text.

    Parameters
    ----------
    secrets
        Values that must never be written down. Short ones are left alone: they would match
        everywhere.
    shared
        Values that become known later, also by others.
    """

    def __init__(self, secrets: Collection[str] = (), shared: KnownSecrets | None = None) -> None:
        self._own = KnownSecrets()
        self._own.put("", secrets)
        self._shared = shared or KnownSecrets()
        nothing: frozenset[str] = frozenset()
        self._sorted: tuple[frozenset[str], frozenset[str], Sequence[str]] = nothing, nothing, ()

    @classmethod
    def of_environments(
        cls, *environments: Mapping[str, str], shared: KnownSecrets | None = None
    ) -> Self:
        """Take the values of the variables that are named like secrets."""
        return cls(set().union(*map(named_secrets, environments)), shared)

    def learn(self, source: str, *secrets: str) -> None:
        """Know these from now on, in place of what ``source`` had before."""
        self._own.put(source, secrets)

    @property
    def _secrets(self) -> Sequence[str]:
        """All that are known, the longest first: one may be a part of another."""
        own, shared = self._own.values, self._shared.values
        if self._sorted[0] is not own or self._sorted[1] is not shared:
            ordered = sorted(own | shared, key=lambda secret: (-len(secret), secret))
            self._sorted = own, shared, tuple(ordered)
        return self._sorted[2]

    def redact_text(self, text: str) -> str:
        """Return ``text`` without secrets."""
        return _without_likely(self._without_known_text(text))

    def without_known(self, value: Any) -> Any:
        """Return a JSON value without the secrets that are known, and the same one if it has none.

        Patterns are left alone: what a user is asked to allow must be seen whole, and an agent
        could write a pattern around what it wants to hide.
        """
        secrets = self._secrets
        text = "\n".join(_strings(value, [])) if secrets else ""
        if not any(secret in text for secret in secrets):
            return value
        return _replaced(value, self._without_known_text)

    def _without_known_text(self, text: str) -> str:
        for secret in self._secrets:
            if secret in text:
                text = text.replace(secret, REDACTED)
        return text

    def redact(self, value: Any) -> Any:
        """Return a JSON value without secrets, keys included."""
        return _replaced(value, self.redact_text, _without_likely_at)


def _without_likely(text: str) -> str:
    if len(text) <= _QUICK_CHARS and not maybe_secret(text):
        return text
    for pattern in PATTERNS:
        parts: list[str] = []
        done = 0
        for begin, end in pattern.spans(text):
            parts += text[done:begin], REDACTED
            done = end
        if parts:
            text = "".join((*parts, text[done:]))
    return text


def _without_likely_at(name: str, value: str) -> str:
    """Return the value of something without the secret that its name tells of."""
    if _NAMES.search(name) is None:
        return value
    head, tail = f'"{name}": "', '"'
    text = _without_likely(f"{head}{value}{tail}")
    return text[len(head) : -1] if text.startswith(head) and text.endswith(tail) else value


def _replaced(
    value: Any, change: Callable[[str], str], named: Callable[[str, str], str] | None = None
) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        changed = {change(str(key)): _replaced(item, change, named) for key, item in value.items()}
        if named is not None:
            about, given = changed.get("name"), changed.get("value")  # ACP: EnvVariable, HttpHeader
            if isinstance(about, str) and isinstance(given, str):
                changed["value"] = named(about, given)
            for key, item in changed.items():
                if isinstance(item, str):
                    changed[key] = named(key, item)
        return changed
    if isinstance(value, list | tuple):
        return [_replaced(item, change, named) for item in value]
    return value


def _strings(value: Any, found: list[str]) -> list[str]:
    """Collect all texts of a JSON value, keys included."""
    if isinstance(value, str):
        found.append(value)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            found.append(str(key))
            _strings(item, found)
    elif isinstance(value, list | tuple):
        for item in value:
            _strings(item, found)
    return found
