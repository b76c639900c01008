"""The base of items: their ids, copies that cost little, and text that grows piece by piece."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from acp_jupyter.protocol.objects import Model


class ItemBase(Model):
    """Where an item stands."""

    _every_name: ClassVar[set[str]]

    id: str
    """Unique in its session."""
    turn_id: str | None = None
    """The prompt turn it belongs to; null for what came between turns."""

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Make the one set of names that all copies of such an item share."""
        super().__pydantic_init_subclass__(**kwargs)
        cls._every_name = set(cls.model_fields)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy with changes.

        A set of its own that says which fields were set is larger than all that an ordinary tool
        call holds, and nobody asks an item for it.
        """
        if deep:
            return super().model_copy(update=update, deep=True)
        copy = type(self).__new__(type(self))
        object.__setattr__(copy, "__dict__", self.__dict__ | (update or {}))  # type: ignore[operator]
        object.__setattr__(copy, "__pydantic_fields_set__", self._every_name)
        object.__setattr__(copy, "__pydantic_extra__", None)
        object.__setattr__(copy, "__pydantic_private__", None)
        return copy


class StepBase(ItemBase):
    """What an agent does or says itself, or has a subagent do."""

    parent_id: str = ""
    """Id of the tool call item, of the same turn and before this one, whose subagent made it."""


def index_of(item_id: str) -> int:
    """Return an item's index in its transcript, which its id holds."""
    return int(item_id[1:])


MOST_CHARS = 10_000_000
"""Of one text; a terminal's output is cut before that. What has more stops whoever handles it."""

_CUT = "\n\n… longer than 10,000,000 characters: the rest is not shown …\n"

_MANY_PIECES = 64
"""Texts that grow by turns are not joined each time."""


def utf16_length(value: str) -> int:
    """Return the length in UTF-16 code units, as JavaScript counts it."""
    return len(value) if value.isascii() else len(value.encode("utf-16-le", "replace")) // 2


def fitted(piece: str, room: int) -> str:
    """Return a piece, or where it is longer than ``room`` its beginning, which says so."""
    if len(piece) <= room // 2 or utf16_length(piece) <= room:
        return piece
    return piece[:room] + _CUT if room >= 0 else ""


class Text:
    """An immutable view of a shared list of pieces.

    Appending to the newest view extends the list in place; appending to an
    older one copies. So the pure reducer pays for the new piece alone.
    """

    __slots__ = ("_count", "_pieces", "length")

    def __init__(self, pieces: list[str] | None = None, count: int = 0, length: int = 0) -> None:
        self._pieces = [] if pieces is None else pieces
        self._count = count
        self.length = length
        """UTF-16 code units."""

    def append(self, piece: str) -> Text:
        """Return the text with ``piece`` at its end."""
        pieces = self._pieces
        if len(pieces) != self._count:
            pieces = pieces[: self._count]
        pieces.append(piece)
        return Text(pieces, self._count + 1, self.length + utf16_length(piece))

    def frozen(self) -> Text | str:
        """Return the same in less room, now that another text grows.

        Many small strings are five times their text; one needs no list.
        """
        if self._count > _MANY_PIECES:
            str(self)
        return str(self) if self._count == 1 else self

    def __str__(self) -> str:
        """Join the pieces; they are kept joined, in a list of its own: older views read theirs."""
        if self._count > 1:
            self._pieces = ["".join(self._pieces[: self._count])]
            self._count = 1
        return "".join(self._pieces[: self._count])
