"""Events of a streamed answer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.support.mockllm.parts import Call, Json, Part, Say

__all__ = ["Event", "arguments_in_pieces", "said"]

_PIECE_CHARACTERS = 40


@dataclass(frozen=True)
class Event:
    """One server-sent event."""

    data: Json | str
    name: str = ""
    paced: bool = False
    """Whether it is text, which comes at the rate that the prompt names."""

    def encoded(self) -> bytes:
        data = self.data if isinstance(self.data, str) else json.dumps(self.data)
        return (
            f"event: {self.name}\n" if self.name else ""
        ).encode() + f"data: {data}\n\n".encode()


def arguments_in_pieces(call: Call) -> Iterator[str]:
    """Return a call's arguments as they are streamed."""
    text = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)
    for start in range(0, len(text), _PIECE_CHARACTERS):
        yield text[start : start + _PIECE_CHARACTERS]


def said(parts: Sequence[Part]) -> str:
    """Return the text of an answer."""
    return "".join(
        "".join(part.pieces) for part in parts if isinstance(part, Say) and not part.thinking
    )
