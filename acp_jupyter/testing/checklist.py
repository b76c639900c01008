"""`Checklist`: what agents often get wrong, tried with an agent of your own, row by row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from acp_jupyter.errors import AcpError
from acp_jupyter.testing.hazards import ROWS, NotTried, Trial

State = Literal["passed", "failed", "not tried"]

HAZARDS = tuple(ROWS)
"""The names of all rows."""
_LONGEST_SECONDS = 10.0


@dataclass(frozen=True)
class Result:
    """What came of one row.

    Attributes
    ----------
    hazard
        The row's name, one of `HAZARDS`.
    state
        ``passed``, ``failed`` or ``not tried``.
    words
        What the row asks for, or why it failed or was not tried.
    """

    hazard: str
    state: State
    words: str

    def __str__(self) -> str:
        return f"{self.state:<9}  {self.hazard:<20}  {self.words}"


class Report(tuple[Result, ...]):
    """The results of all rows; its representation is a table."""

    @property
    def failed(self) -> tuple[str, ...]:
        """The names of the rows that failed."""
        return tuple(result.hazard for result in self if result.state == "failed")

    def __repr__(self) -> str:
        return "\n".join(map(str, self))


class Checklist:
    """What agents often get wrong, tried with an agent of yours.

    Each row gets a new agent. In a cell, `run` returns a table; in tests, `check` tries one row.

    Parameters
    ----------
    make
        Returns a new agent: its class, or a function.
    prompt
        A prompt that it answers in words, without asking for permission.
    asks
        A prompt for which it asks for permission.
    works
        A prompt at which it works for a second or more.
    seconds
        Longest wait for anything that the agent should do.

    Examples
    --------
    >>> Checklist(Librarian, prompt="Emma", asks="Write the list").run()
    """

    def __init__(
        self,
        make: Callable[[], Any],
        *,
        prompt: str = "Hello",
        asks: str = "",
        works: str = "",
        seconds: float = _LONGEST_SECONDS,
    ) -> None:
        self._trial = Trial(make, prompt, asks, works, seconds)

    def run(self) -> Report:
        """Try all rows."""
        return Report(self._result(hazard) for hazard in HAZARDS)

    def check(self, hazard: str) -> None:
        """Try one row, in a test.

        Raises
        ------
        AssertionError
            It failed.
        unittest.SkipTest
            There is nothing to try. pytest and unittest count the test as skipped.
        """
        try:
            ROWS[hazard].try_it(self._trial)
        except AcpError as error:
            raise AssertionError(str(error)) from error

    def _result(self, hazard: str) -> Result:
        try:
            self.check(hazard)
        except NotTried as why:
            return Result(hazard, "not tried", str(why))
        except AssertionError as why:
            return Result(hazard, "failed", str(why))
        return Result(hazard, "passed", ROWS[hazard].words)
