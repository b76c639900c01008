"""What a session used today."""

from __future__ import annotations

import time

from acp_jupyter.host.sessions.day_use import DayUse, this_day
from acp_jupyter.transcript.model.events import SessionChanged
from acp_jupyter.transcript.model.use import Use
from tests.support.transcript.traffic import Script

_DAY = 24 * 3600.0


class Clock:
    """A clock that stands until a test moves it."""

    def __init__(self) -> None:
        self.now = time.mktime((2026, 12, 1, 23, 59, 0, 0, 0, -1))

    def __call__(self) -> float:
        return self.now


def test_a_day_begins_with_what_was_used_before() -> None:
    clock, state = Clock(), Script().transcript.session
    used = DayUse(Use(turns=5, calls=50), clock=clock)

    def spend(turns: int, calls: int) -> None:
        changed = state.model_copy(update={"use": Use(turns=turns, calls=calls)})
        used.push([SessionChanged(session_id="s1", seq=1, session=changed)])

    today = this_day(clock)
    assert used.on(today) == Use()
    spend(6, 55)
    spend(7, 56)
    assert used.on(today) == Use(turns=2, calls=6)
    clock.now += _DAY
    tomorrow = this_day(clock)
    assert used.on(tomorrow) == Use()
    spend(8, 60)
    assert used.on(tomorrow) == Use(turns=1, calls=4)
    assert used.on(today) == Use()
    opened_again = DayUse(Use(turns=9, calls=61), used.day, used.before, clock)
    assert opened_again.on(tomorrow) == Use(turns=2, calls=5)
