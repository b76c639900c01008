"""`Use`: what turns used, as far as it is known."""

from __future__ import annotations

from acp_jupyter.protocol.objects import Model

_CURRENCIES = 5
"""How many a sum has; an agent that reports still others is not believed."""


class Cost(Model):
    """An amount of money."""

    amount: float
    currency: str = ""
    """Three letters; empty if the agent named no currency."""


class Use(Model):
    """What turns used."""

    turns: int = 0
    """Turns that have ended."""
    seconds: float = 0.0
    """The time in which they worked, without that in which a question waited for an answer."""
    calls: int = 0
    """Tool calls."""
    tokens: int | None = None
    """Tokens as the agent reported them; null if it reported none."""
    costs: tuple[Cost, ...] = ()
    """The cost as the agent reported it, by currency; empty if it reported none."""

    def plus(self, other: Use) -> Use:
        """Return the sum of both."""
        counted = (each for each in (self.tokens, other.tokens) if each is not None)
        amounts = {each.currency: each.amount for each in self.costs}
        for each in other.costs:
            if each.currency in amounts or len(amounts) < _CURRENCIES:
                amounts[each.currency] = amounts.get(each.currency, 0.0) + each.amount
        return Use(
            turns=self.turns + other.turns,
            seconds=self.seconds + other.seconds,
            calls=self.calls + other.calls,
            tokens=sum(counted) if self.tokens is not None or other.tokens is not None else None,
            costs=tuple(Cost(amount=amount, currency=name) for name, amount in amounts.items()),
        )

    def since(self, before: Use) -> Use:
        """Return what was used after ``before``, an earlier state of the same sum."""
        tokens = None
        if self.tokens is not None and self.tokens != before.tokens:
            tokens = max(0, self.tokens - (before.tokens or 0))
        costs = (
            Cost(amount=each.amount - (before.cost(each.currency) or 0.0), currency=each.currency)
            for each in self.costs
            if each not in before.costs
        )
        return Use(
            turns=max(0, self.turns - before.turns),
            seconds=max(0.0, self.seconds - before.seconds),
            calls=max(0, self.calls - before.calls),
            tokens=tokens,
            costs=tuple(each for each in costs if each.amount >= 0),
        )

    def cost(self, currency: str) -> float | None:
        """Return the cost in a currency; None if none was reported in it."""
        return next((each.amount for each in self.costs if each.currency == currency), None)


NO_USE = Use()


def currency_code(text: str) -> str:
    """Return a currency as three capital letters; empty for anything else."""
    is_code = len(text) == 3 and text.isascii() and text.isalpha()
    return text.upper() if is_code else ""
