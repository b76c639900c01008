"""`TurnLimit`: how much a turn may use, written as ``10 min, 200k tokens, 30 calls, 2 USD``."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args

_EXAMPLE = '"10 min, 200k tokens, 30 calls"'
_UNITS = "Units are s, min, h, tokens, calls, and a currency such as USD."
_CHARS = 200
_MOST = 1e12
_PART = re.compile(
    r"(?P<sign>[$€£])?\s?(?P<number>\d{1,15}(?:\.\d{1,6})?)\s?(?P<times>[kKmM](?![a-zA-Z]))?\s?"
    r"(?P<unit>[A-Za-z]{0,10}(?: calls?)?)"
)
_SIGNS = {"$": "USD", "€": "EUR", "£": "GBP"}
_SECONDS = {
    **dict.fromkeys(("s", "sec", "second", "seconds"), 1),
    **dict.fromkeys(("m", "min", "minute", "minutes"), 60),
    **dict.fromkeys(("h", "hour", "hours"), 3600),
}
_CALLS = frozenset({"call", "calls", "tool call", "tool calls"})
_CURRENCY = re.compile(r"[A-Za-z]{3}")


LimitName = Literal["seconds", "calls", "tokens", "money"]
_NAMES: tuple[LimitName, ...] = get_args(LimitName)


class TurnLimitError(ValueError):
    """A limit that can't be read; its text says why, and what to type."""


@dataclass(frozen=True, slots=True)
class TurnLimit:
    """How much a turn may use; None for no limit."""

    seconds: float | None = None
    """Time, without that in which a question waits for an answer."""
    calls: int | None = None
    """Tool calls."""
    tokens: int | None = None
    """Tokens by which the agent's context grows."""
    money: float | None = None
    currency: str = ""
    """Three letters, for ``money``."""

    def __bool__(self) -> bool:
        """Return whether anything is limited."""
        return any(getattr(self, each.name) for each in fields(self))

    def within(self, other: TurnLimit) -> TurnLimit:
        """Return the tightest of both; amounts in another currency are kept from ``other``."""
        same = not (self.money and other.money) or self.currency == other.currency
        money = _least(self.money, other.money) if same else other.money
        currency = (self.currency or other.currency) if same else other.currency
        return replace(
            self,
            seconds=_least(self.seconds, other.seconds),
            calls=_least(self.calls, other.calls),
            tokens=_least(self.tokens, other.tokens),
            money=money,
            currency=currency,
        )

    def __str__(self) -> str:
        """Return it as `read_turn_limit` reads it."""
        units = {"seconds": "s", "calls": "calls", "tokens": "tokens", "money": self.currency}
        return ", ".join(
            f"{amount:.6f}".rstrip("0").rstrip(".") + f" {units[name]}"
            for name, amount in self.amounts().items()
        )

    def amounts(self) -> dict[LimitName, float]:
        """Return what is limited, and to how much."""
        amounts = {name: getattr(self, name) for name in _NAMES}
        return {name: amount for name, amount in amounts.items() if amount is not None}

    def parts(self) -> dict[LimitName, str]:
        """Return what is limited, in words."""
        amounts = self.amounts().items()
        return {name: amount_words(name, amount, self.currency) for name, amount in amounts}


NO_LIMIT = TurnLimit()


def read_turn_limit(text: str) -> TurnLimit:
    """Parse a limit; an empty text is none."""
    if len(text) > _CHARS:
        raise TurnLimitError(f"A limit has at most {_CHARS} characters, for example {_EXAMPLE}.")
    limit = NO_LIMIT
    for part in filter(None, (each.strip() for each in text.split(","))):
        one = _read(part)
        doubled = [name for name in one.parts() if name in limit.parts()]
        if doubled:
            raise TurnLimitError(f"{text!r} limits one thing twice. Type, for example, {_EXAMPLE}.")
        limit = limit.within(one)
    return limit


def amount_words(name: LimitName, value: float, currency: str) -> str:
    """Return an amount as people read it, such as ``10 minutes`` or ``200,000 tokens``."""
    match name:
        case "seconds":
            return _time_words(value)
        case "calls":
            return _counted(round(value), "tool call")
        case "tokens":
            return _counted(round(value), "token")
        case _:
            return f"{value:.4f}".rstrip("0").rstrip(".") + f" {currency}"


def _time_words(seconds: float) -> str:
    if seconds < 1:
        return f"{seconds:.2g} seconds" if seconds else "0 seconds"
    if seconds < 120:
        return _counted(round(seconds), "second")
    minutes = seconds / 60
    shown = f"{minutes:.1f}".removesuffix(".0")
    return f"{shown} minutes"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _read(part: str) -> TurnLimit:
    found = _PART.fullmatch(part)
    if found is None:
        raise TurnLimitError(f"{part!r} is no limit. Type, for example, {_EXAMPLE}. {_UNITS}")
    times, unit = (found["times"] or "").lower(), found["unit"].lower()
    if times == "m" and not unit:
        times, unit = "", "m"  # minutes
    number = float(found["number"]) * {"k": 1e3, "m": 1e6}.get(times, 1)
    if not 0 < number <= _MOST:
        raise TurnLimitError(
            f"{part!r} would stop each turn before it begins."
            if not number
            else f"{part!r} is more than can be counted."
        )
    if found["sign"] and not unit:
        return TurnLimit(money=number, currency=_SIGNS[found["sign"]])
    if found["sign"] is None and unit in _SECONDS and not times:
        return TurnLimit(seconds=number * _SECONDS[unit])
    if found["sign"] is None and unit in _CALLS:
        return TurnLimit(calls=_whole(part, number))
    if found["sign"] is None and unit in {"token", "tokens"}:
        return TurnLimit(tokens=_whole(part, number))
    if found["sign"] is None and _CURRENCY.fullmatch(unit):
        return TurnLimit(money=number, currency=unit.upper())
    raise TurnLimitError(f"{part!r} has no unit of a limit. {_UNITS} An example: {_EXAMPLE}.")


def _whole(part: str, number: float) -> int:
    if number != int(number):
        raise TurnLimitError(f"{part!r} must be a whole number.")
    return int(number)


def _least(one: float | None, other: float | None) -> Any:
    return min((each for each in (one, other) if each is not None), default=None)
