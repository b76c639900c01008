"""Lines that are no message, or not quite one."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hazards import lines

from tests.support.meeting import Meeting

Meet = Callable[[str], Meeting]


@pytest.mark.parametrize("mode", lines.NOISE)
def test_noise_before_and_within_a_turn_does_no_harm(meet: Meet, mode: str) -> None:
    meeting = meet(mode)
    assert meeting.turn().stop_reason == "end_turn"
    assert meeting.text == "After the noise."
    assert meeting.errors == []
    meeting.goes_on()


@pytest.mark.parametrize(
    ("mode", "text"),
    [
        ("invalid_utf8", "bytes \ufffd\ufffd here"),
        ("invalid_utf8_in_answer", "Hello."),
        ("lone_surrogate", "half \ufffd an emoji"),
        ("split_pairs", "a 😀 b😀😀 \ufffd\ufffd c\ufffdd\ufffd\ufffd"),
        ("batch", "batched batched batched "),
        ("bare_chunk", "hello from before the protocol"),
        ("no_jsonrpc", "no version"),
        (
            "other_names",
            "session/notification, acp/notification/session_update, session_update, ",
        ),
        ("meta_collisions", "message params update"),
    ],
)
def test_the_words_arrive(meet: Meet, mode: str, text: str) -> None:
    meeting = meet(mode)
    turn = meeting.turn()
    assert (turn.stop_reason, turn.failure) == ("end_turn", None)
    assert meeting.text == text
    meeting.goes_on()


def test_an_update_sent_as_a_request_is_answered(meet: Meet) -> None:
    meeting = meet("update_as_request")
    meeting.turn()
    assert meeting.text == "asked ['result']"
    meeting.goes_on()


def test_a_line_of_70_mb_is_dropped_and_the_next_one_read(meet: Meet) -> None:
    meeting = meet("long_line")
    turn = meeting.end(meeting.begin())
    assert turn.stop_reason == "end_turn"
    assert meeting.text == "After the long line."
    meeting.goes_on()


def test_a_burst_of_20000_updates_is_taken_in_and_the_host_answers_meanwhile(meet: Meet) -> None:
    meeting = meet("burst")
    turn_id = meeting.begin()
    seen: set[int] = set()
    while meeting.session.transcript.turns[turn_id].status != "done":
        seen.add(meeting.driver.run(lambda: len(meeting.text)))
    assert len(meeting.text) == 20_000
    assert len(seen) > 5
    meeting.goes_on()
