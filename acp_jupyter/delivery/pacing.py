"""When the next flush of a subscription may go."""

from __future__ import annotations

__all__ = ["Pacing"]

_SHORTEST_SECONDS = 0.033
_LONGEST_SECONDS = 0.1


class Pacing:
    """The first chunk at once, then one flush per 33 ms, up to 100 ms while the page lags.

    The lag is how long ago that was written which the page has not acknowledged: a page that
    draws a flush in 60 ms gets one every 60 ms. Pure: the clock is the caller's.
    """

    def __init__(self) -> None:
        self._last_flush = float("-inf")
        self._oldest: tuple[int, float] | None = None
        """Of the flushes that wait for their acknowledgement; seq and time."""
        self._newest: tuple[int, float] | None = None

    def delay(self, now: float) -> float:
        """Return how many seconds to wait before flushing what there is."""
        lag = 0.0 if self._oldest is None else now - self._oldest[1]
        interval = min(max(lag, _SHORTEST_SECONDS), _LONGEST_SECONDS)
        return max(0.0, self._last_flush + interval - now)

    def flushed(self, seq: int, now: float) -> None:
        """Note that everything up to ``seq`` was written."""
        self._last_flush = now
        self._newest = (seq, now)
        self._oldest = self._oldest or self._newest

    def acknowledged(self, seq: int) -> None:
        """Note that the page has drawn everything up to ``seq``."""
        if self._newest is not None and seq >= self._newest[0]:
            self._oldest = self._newest = None
        elif self._oldest is not None and seq >= self._oldest[0]:
            # What lies between the two is not kept; the newest is a fair stand-in.
            self._oldest = self._newest
