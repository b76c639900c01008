"""An event loop whose time passes only while everybody waits, and then at once."""

from __future__ import annotations

import asyncio
import functools
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec, TypeVar

__all__ = ["VirtualLoop", "in_virtual_time"]

_P = ParamSpec("_P")
_T = TypeVar("_T")


class VirtualLoop(asyncio.SelectorEventLoop):
    """Waits for nothing but what comes of threads and pipes."""

    def __init__(self) -> None:
        self._now = 0.0
        super().__init__(_Selector(self._pass))

    def time(self) -> float:
        return self._now

    def _pass(self, seconds: float) -> None:
        self._now += seconds


class _Selector(selectors.SelectSelector):
    def __init__(self, wait: Callable[[float], None]) -> None:
        super().__init__()
        self._wait = wait

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            return super().select(None)
        ready = super().select(0)
        if not ready and timeout:
            self._wait(timeout)
        return ready


def in_virtual_time(
    test: Callable[_P, Coroutine[Any, Any, _T]],
) -> Callable[_P, _T]:
    """Run a test on such a loop."""

    @functools.wraps(test)
    def run(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        with asyncio.Runner(loop_factory=VirtualLoop) as runner:
            return runner.run(test(*args, **kwargs))

    return run
