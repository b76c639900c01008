"""What a limit of a turn says, and the words for what it can't."""

from __future__ import annotations

import pytest

from acp_jupyter.protocol.turn_limit import NO_LIMIT, TurnLimit, TurnLimitError, read_turn_limit


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("", NO_LIMIT),
        ("10 min, 200k tokens, 30 calls", TurnLimit(seconds=600, tokens=200_000, calls=30)),
        ("90s", TurnLimit(seconds=90)),
        ("1.5 h,", TurnLimit(seconds=5400)),
        ("2 m", TurnLimit(seconds=120)),
        ("1.5M tokens", TurnLimit(tokens=1_500_000)),
        ("1 tool call", TurnLimit(calls=1)),
        ("$2", TurnLimit(money=2, currency="USD")),
        ("0.50 eur", TurnLimit(money=0.5, currency="EUR")),
    ],
)
def test_a_limit_is_read(text: str, limit: TurnLimit) -> None:
    assert read_turn_limit(text) == limit
    assert bool(limit) is bool(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ten minutes", "'ten minutes' is no limit. Type, for example, \"10 min"),
        ("0 calls", "would stop each turn before it begins"),
        ("0 min", "would stop each turn before it begins"),
        ("-1 min", "is no limit"),
        ("30", "'30' has no unit"),
        ("3 rounds", "has no unit of a limit. Units are s, min, h, tokens, calls"),
        ("1.5 calls", "must be a whole number"),
        ("1 min, 2 h", "limits one thing twice"),
        ("999999999999999 tokens", "more than can be counted"),
        ("1 min" + " " * 300, "at most 200 characters"),
        ("nan min", "is no limit"),
        ("\u0663 min\x00", "is no limit"),
    ],
)
def test_a_limit_that_makes_no_sense_is_explained(text: str, words: str) -> None:
    with pytest.raises(TurnLimitError) as refused:
        read_turn_limit(text)
    assert words in str(refused.value)


def test_the_tightest_holds() -> None:
    mine = read_turn_limit("10 min, 5 calls, 2 USD")
    theirs = read_turn_limit("1 h, 3 calls, 100 tokens, 1 USD")
    assert mine.within(theirs) == theirs.within(mine)
    assert mine.within(theirs) == read_turn_limit("10 min, 3 calls, 100 tokens, 1 USD")
    assert read_turn_limit("1 EUR").within(theirs).currency == "USD"


def test_amounts_are_said_as_people_say_them() -> None:
    limit = read_turn_limit("90 s, 1 call, 200k tokens, 2.50 USD")
    words = "90 seconds; 1 tool call; 200,000 tokens; 2.5 USD"
    assert "; ".join(limit.parts().values()) == words
    assert read_turn_limit("150 s").parts() == {"seconds": "2.5 minutes"}
    assert read_turn_limit("0.25 s").parts() == {"seconds": "0.25 seconds"}


@pytest.mark.parametrize("text", ["", "90 s", "0.001 s, 3 calls", "1.5 h, 200k tokens, 2.50 USD"])
def test_a_limit_is_written_as_it_is_read(text: str) -> None:
    limit = read_turn_limit(text)
    assert read_turn_limit(str(limit)) == limit
    assert bool(str(limit)) is bool(limit)
