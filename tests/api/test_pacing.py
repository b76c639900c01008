from __future__ import annotations

import pytest

from acp_jupyter.api.subscription import Pacing

NOW = 1000.0


def test_the_first_flush_goes_at_once() -> None:
    assert Pacing().delay(NOW) == 0


def test_the_next_waits_for_33_ms() -> None:
    pace = Pacing()
    pace.flushed(1, NOW)
    pace.acknowledged(1)
    assert pace.delay(NOW) == pytest.approx(0.033)
    assert pace.delay(NOW + 0.02) == pytest.approx(0.013)
    assert pace.delay(NOW + 0.033) == 0
    assert pace.delay(NOW + 60) == 0


def test_after_a_pause_there_is_no_delay() -> None:
    pace = Pacing()
    for number in range(10):
        assert pace.delay(NOW + number) == 0
        pace.flushed(number, NOW + number)
        pace.acknowledged(number)


def test_the_pace_follows_a_page_that_lags() -> None:
    pace = Pacing()
    pace.flushed(1, NOW)
    assert pace.delay(NOW + 0.06) == 0, "60 ms of lag, 60 ms since the last flush"
    pace.flushed(2, NOW + 0.06)
    assert pace.delay(NOW + 0.06) == pytest.approx(0.06), "the first is still not drawn"
    pace.acknowledged(2)
    assert pace.delay(NOW + 0.06) == pytest.approx(0.033), "caught up"


def test_a_page_that_never_acknowledges_gets_ten_flushes_a_second() -> None:
    pace = Pacing()
    now, flushes = NOW, 0
    while now < NOW + 10:
        now += pace.delay(now)
        pace.flushed(flushes, now)
        flushes += 1
        now += 0.001
    assert 95 <= flushes <= 103


def test_an_acknowledgement_in_between_counts_from_the_newest_flush() -> None:
    pace = Pacing()
    for seq in range(1, 6):
        pace.flushed(seq, NOW + seq / 10)
    pace.acknowledged(3)
    assert pace.delay(NOW + 0.52) == pytest.approx(0.013)
