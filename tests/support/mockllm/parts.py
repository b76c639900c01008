"""What a model does in one turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = [
    "Call",
    "Cut",
    "Fail",
    "Json",
    "Options",
    "Part",
    "Say",
    "Step",
    "Steps",
    "Tool",
    "Use",
]

Json = dict[str, Any]

_PIECE_CHARACTERS = 12


@dataclass(frozen=True)
class Say:
    """Text or a thought, piece by piece."""

    text: str
    thinking: bool = False
    words: Sequence[str] = ()
    """The pieces, where their number matters."""

    @property
    def pieces(self) -> Sequence[str]:
        size = _PIECE_CHARACTERS
        return self.words or [self.text[i : i + size] for i in range(0, len(self.text), size)]


@dataclass(frozen=True)
class Use:
    """The wish for a tool: whichever the agent offers."""

    names: Sequence[str]
    """Regular expressions on tool names, the best first."""
    arguments: Mapping[str, Any]
    optional: bool = False
    """Nothing is said where the agent has no such tool."""
    exact: bool = False
    """The arguments go as they are."""


@dataclass(frozen=True)
class Fail:
    """The request is answered with an HTTP error."""

    code: int = 400


@dataclass(frozen=True)
class Cut:
    """The connection is lost in the middle of the answer."""


@dataclass(frozen=True)
class Tool:
    """A tool that the agent offers."""

    name: str
    schema: Json
    is_text: bool = False
    """It takes a text in place of arguments."""
    namespace: str = ""


@dataclass(frozen=True)
class Call:
    """A tool call with the arguments that the tool's schema wants."""

    call_id: str
    tool: Tool
    arguments: Json | str


Part = Say | Call | Fail | Cut
Step = Say | Use | Fail | Cut
Steps = list[list[Step]]
Options = Mapping[str, str]
