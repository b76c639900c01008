"""`Subcommand`: a subcommand of ``%acp`` that a feature adds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Subcommand:
    """A subcommand, with its help."""

    usage: str
    """Its name and arguments."""
    summary: str
    """What it does, in a few words."""
    run: Callable[[Sequence[str]], None]
    """Takes its arguments."""
    after: str
    """The subcommand that it follows in the help."""
    details: tuple[str, ...] = ()
    """Additional text of ``%acp help SUBCOMMAND``."""
    options: tuple[str, ...] = ()
    """What Tab offers after the first argument, or for it if that is an option."""
    first: tuple[str, ...] = ()
    """What Tab offers for the first argument."""
    takes_cell_options: bool = False
    """Whether its arguments are those of a cell, which Tab then offers."""

    @property
    def name(self) -> str:
        """Its name."""
        return self.usage.split()[0]
