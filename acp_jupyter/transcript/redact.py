"""Secrets out of what is written down."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
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
        for secret in self._secrets:
            if secret in text:
                text = text.replace(secret, REDACTED)
        return _PATTERNS.sub(REDACTED, text)

    def redact(self, value: Any) -> Any:
        """Return a JSON value without secrets, keys included."""
        if isinstance(value, str):
            return self.redact_text(value)
        if isinstance(value, Mapping):
            return {self.redact_text(str(key)): self.redact(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.redact(item) for item in value]
        return value
