"""Slows down guessing of keys: after wrong keys, a source waits for each answer."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass

from acp_jupyter.errors import AcpError

_FREE = 5
"""Wrong keys without a delay: people paste the wrong one, and pages retry."""
_FIRST_SECONDS = 0.25
_MAX_SECONDS = 2.0
_FORGET_SECONDS = 60.0
_WAITING = 4
"""Answers that one source may wait for at once."""
_SOURCES = 1000


class TooManyWrongKeys(AcpError):
    """The source has sent too many wrong keys: this one is not checked."""

    reason = "too_many"
    status = 429


@dataclass(slots=True)
class _Tries:
    wrong: int = 0
    last: float = 0.0
    waiting: int = 0


class KeyThrottle:
    """Tracks sources of wrong keys. Belongs to one event loop, whose clock it uses.

    A correct key is answered at once, unless four answers to its source are pending; each is
    delayed by two seconds at most.
    """

    def __init__(self) -> None:
        self._tries: OrderedDict[str, _Tries] = OrderedDict()
        """Attempts by source, the latest at the end."""

    def admit(self, source: str) -> None:
        """Check whether a source's key may be examined."""
        tries = self._tries.get(source)
        if tries is not None and tries.waiting >= _WAITING:
            raise TooManyWrongKeys("Too many wrong keys came from there. Try again in 2 seconds.")

    async def refuse(self, source: str) -> None:
        """Delay the answer to a wrong key; the more the source has sent, the longer."""
        time = asyncio.get_running_loop().time
        tries = self._tries.setdefault(source, _Tries())
        self._tries.move_to_end(source)
        if time() - tries.last > _FORGET_SECONDS:
            tries.wrong = 0
        tries.wrong += 1
        tries.last = time()
        self._forget()
        paid = tries.wrong - _FREE
        if paid <= 0 or tries.waiting >= _WAITING:
            return
        tries.waiting += 1
        try:
            await asyncio.sleep(min(_FIRST_SECONDS * 2 ** min(paid - 1, 10), _MAX_SECONDS))
        finally:
            tries.waiting -= 1
            tries.last = time()

    def _forget(self) -> None:
        while len(self._tries) > _SOURCES:
            self._tries.popitem(last=False)
