"""Keys for outside agents, which let them use the tools of one notebook.

A user creates a key, and sees it once; only its hash is kept, in memory. So a key ends with the
server, or earlier when it expires or is revoked.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from acp_jupyter.errors import BadRequest, NotAllowed

_MOST = 50
"""Keys at once."""
_SECONDS = 7 * 24 * 3600.0
"""How long a key is good."""

KEY_PREFIX = "acp-key"

KEY_VARIABLE = "ACP_JUPYTER_KEY"
"""The environment variable with a key, for the program that an agent outside starts."""

OutsidePolicy = Literal["read-only", "ask"]
"""The policies that the sessions of a key may begin with."""


@dataclass(slots=True)
class OutsideKey:
    """A key, without its secret."""

    key_id: str
    notebook_path: str
    """The key's notebook, relative to the root folder."""
    policy: OutsidePolicy
    """The first policy of its agents' sessions."""
    user: str
    """The user who created it and answers its agents' requests; empty if users have no names."""
    created_at: float
    expires_at: float
    digest: bytes
    last_used_at: float | None = None


class OutsideKeys:
    """The keys of a server. Used on the host's loop only."""

    def __init__(
        self,
        *,
        most: int = _MOST,
        seconds: float = _SECONDS,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._most = most
        self._seconds = seconds
        self._clock = clock
        self._keys: dict[str, OutsideKey] = {}
        self._on_end: list[Callable[[str], None]] = []

    def make(self, notebook_path: str, policy: OutsidePolicy, user: str) -> tuple[OutsideKey, str]:
        """Create a key; return it with its facts. The key itself is not kept."""
        self._drop_expired()
        if len(self._keys) >= self._most:
            raise BadRequest(f"There are {len(self._keys)} keys already. Revoke one first.")
        key_id, secret, now = secrets.token_hex(6), secrets.token_hex(32), self._clock()
        known = OutsideKey(
            key_id,
            notebook_path,
            policy,
            user,
            now,
            now + self._seconds,
            _digest(secret),
        )
        self._keys[key_id] = known
        return known, f"{KEY_PREFIX}-{key_id}-{secret}"

    def id_in(self, key: str) -> str:
        """Return the id inside a key; empty if there is no key of that id."""
        key_id = _parts(key)[0]
        return key_id if key_id in self._keys else ""

    def find(self, key: str) -> OutsideKey:
        """Return the facts of a valid key."""
        self._drop_expired()
        named, secret = _parts(key)
        known = self._keys.get(named)
        good = known is not None and hmac.compare_digest(known.digest, _digest(secret))
        if known is None or not good:
            raise NotAllowed(REFUSED)
        return known

    def use(self, key_id: str) -> None:
        """Note that a key is used now."""
        self._drop_expired()
        known = self._keys.get(key_id)
        if known is None:
            raise NotAllowed(REFUSED)
        known.last_used_at = self._clock()

    def all(self) -> tuple[OutsideKey, ...]:
        """Return the valid keys, the newest first."""
        self._drop_expired()
        return tuple(reversed(self._keys.values()))

    def revoke(self, key_id: str) -> None:
        """Revoke a key."""
        if self._keys.pop(key_id, None) is None:
            raise BadRequest("There is no such key. It was revoked already, or its time is over.")
        self._notify(key_id)

    def on_end(self, listener: Callable[[str], None]) -> None:
        """Call ``listener`` with the id of each key that has ended."""
        self._on_end.append(listener)

    def _drop_expired(self) -> None:
        now = self._clock()
        for key_id in [name for name, key in self._keys.items() if key.expires_at <= now]:
            del self._keys[key_id]
            self._notify(key_id)

    def _notify(self, key_id: str) -> None:
        for listener in self._on_end:
            listener(key_id)


REFUSED = (
    "This key is not valid: it was revoked, it has expired, or the server was restarted. Make a "
    "new one in the notebook's panel."
)


def _parts(key: str) -> tuple[str, str]:
    key_id, _, secret = key.removeprefix(f"{KEY_PREFIX}-").partition("-")
    return key_id, secret


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()
