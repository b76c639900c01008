"""Secrets out of what is written down."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, Self

__all__ = ["REDACTED", "Redactor"]

REDACTED = "[redacted]"

_MIN_SECRET_CHARS = 8
_SECRET_NAME = re.compile(
    r"(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|COOKIE)S?(?:_|$)|^PAT$|_PAT$",
    re.IGNORECASE,
)
_PATTERNS = re.compile(
    r"sk-[A-Za-z0-9_-]{16,}"
    r"|gh[pousr]_[A-Za-z0-9]{20,}"
    r"|github_pat_[A-Za-z0-9_]{20,}"
    r"|glpat-[A-Za-z0-9_-]{16,}"
    r"|xox[abeprs]-[A-Za-z0-9-]{10,}"
    r"|hf_[A-Za-z0-9]{20,}"
    r"|npm_[A-Za-z0-9]{20,}"
    r"|pypi-[A-Za-z0-9_-]{20,}"
    r"|AIza[A-Za-z0-9_-]{30,}"
    r"|A(?:KIA|SIA)[A-Z0-9]{16}"
    r"|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"
    r"|(?<=[Bb]earer )[A-Za-z0-9._~+/-]{12,}=*"
    r"|(?<=://)[^\s/:@\"']{1,200}:[^\s/@\"']{1,200}(?=@)"
    r"|-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----.*?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|\Z)",
    re.DOTALL,
)


_HINTS = (
    *("sk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox", "hf_"),
    *("npm_", "pypi-", "AIza", "AKIA", "ASIA", "eyJ", "earer ", "://", "-----BEGIN "),
)
"""One of these is in whatever the patterns match; looking for them is ten times as fast."""


class Redactor:
    """Replaces known secrets, and what looks like one, in text and in JSON values.

    A secret that an agent spells out over several messages is found where their text is joined,
    not in each of them.

    Parameters
    ----------
    secrets
        Values that must never be written down. Short ones are left alone: they would match
        everywhere.
    """

    def __init__(self, secrets: Collection[str] = ()) -> None:
        usable = {secret for secret in secrets if len(secret) >= _MIN_SECRET_CHARS}
        self._secrets = sorted(usable, key=lambda secret: (-len(secret), secret))

    def learn(self, *secrets: str) -> None:
        """Know more of them from now on. They must be long."""
        known = {*self._secrets, *secrets}
        self._secrets = sorted(known, key=lambda secret: (-len(secret), secret))

    @classmethod
    def of_environments(cls, *environments: Mapping[str, str]) -> Self:
        """Take the values of the variables that are named like secrets."""
        return cls(
            {
                value
                for environment in environments
                for name, value in environment.items()
                if _SECRET_NAME.search(name)
            }
        )

    def redact_text(self, text: str) -> str:
        """Return ``text`` without secrets."""
        text = self._without_known_text(text)
        return _PATTERNS.sub(REDACTED, text) if _suspicious(text) else text

    def without_known(self, value: Any) -> Any:
        """Return a JSON value without the secrets that are known, and the same one if it has none.

        Patterns are left alone: what a user is asked to allow must be seen whole, and an agent
        could write a pattern around what it wants to hide.
        """
        text = "\n".join(_strings(value, [])) if self._secrets else ""
        if not any(secret in text for secret in self._secrets):
            return value
        return Redactor._replaced(value, self._without_known_text)

    def _without_known_text(self, text: str) -> str:
        for secret in self._secrets:
            if secret in text:
                text = text.replace(secret, REDACTED)
        return text

    def redact(self, value: Any) -> Any:
        """Return a JSON value without secrets, keys included."""
        return Redactor._replaced(value, self.redact_text)

    @staticmethod
    def _replaced(value: Any, change: Callable[[str], str]) -> Any:
        if isinstance(value, str):
            return change(value)
        if isinstance(value, Mapping):
            return {
                change(str(key)): Redactor._replaced(item, change) for key, item in value.items()
            }
        if isinstance(value, list | tuple):
            return [Redactor._replaced(item, change) for item in value]
        return value


def _suspicious(text: str) -> bool:
    return any(hint in text for hint in _HINTS)


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
