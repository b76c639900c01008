"""The base of items: ids, cheap copies, and text that grows by pieces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from acp_jupyter.protocol.objects import Model


class ItemBase(Model):
    """The status of an item."""

    _every_name: ClassVar[set[str]]

    id: str
    """Unique in its session."""
    turn_id: str | None = None
    """The turn that it belongs to; null for items between turns."""

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Return the set of field names that all copies share."""
        super().__pydantic_init_subclass__(**kwargs)
        cls._every_name = set(cls.model_fields)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy with changes.

        All copies share one ``__pydantic_fields_set__``: a set for each copy would be larger than
        the rest of an ordinary tool call, and nothing reads it.
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
    """An action of an agent, or of its subagent."""

    parent_id: str = ""
    """Id of the tool call whose subagent made it; the call is earlier in the same turn."""


def index_of(item_id: str) -> int:
    """Return an item's index in its transcript, which is a part of its id."""
    return int(item_id[1:])


MAX_CHARS = 10_000_000
"""Longest text of an item, since longer ones block a thread; terminal output is cut earlier."""

_CUT = "\n\n… longer than 10,000,000 characters: the rest is not shown …\n"

_MANY_PIECES = 64
"""Texts that grow alternately are only joined if they have more pieces than this."""


def utf16_length(value: str) -> int:
    """Return the length in UTF-16 code units, as in JavaScript."""
    return len(value) if value.isascii() else len(value.encode("utf-16-le", "replace")) // 2


def fitted(piece: str, room: int) -> str:
    """Return a piece of text; if it is longer than ``room``, cut it and add a note."""
    if len(piece) <= room // 2 or utf16_length(piece) <= room:
        return piece
    return piece[:room] + _CUT if room >= 0 else ""


class Text:
    """An immutable view of a shared list of pieces.

    Appending to the newest view extends the list in place; appending to an
    older one copies. So appending costs the pure reducer only the new piece.
    """

    __slots__ = ("_count", "_pieces", "length")

    def __init__(self, pieces: list[str] | None = None, count: int = 0, length: int = 0) -> None:
        self._pieces = [] if pieces is None else pieces
        self._count = count
        self.length = length
        """UTF-16 code units."""

    def append(self, piece: str) -> Text:
        """Return the text with ``piece`` appended."""
        pieces = self._pieces
        if len(pieces) != self._count:
            pieces = pieces[: self._count]
        pieces.append(piece)
        return Text(pieces, self._count + 1, self.length + utf16_length(piece))

    def continued(self, piece: str, offset: int) -> Text:
        """Return the text with the part of a piece that is new; ``offset`` is in UTF-16 units."""
        known = self.length - offset
        if known > 0:
            piece = piece.encode("utf-16-le")[2 * known :].decode("utf-16-le", "replace")
        return self.append(piece)

    def frozen(self) -> Text | str:
        """Return the text in a smaller form, for when another text grows.

        Many small strings take five times the memory of one; a single one needs no list.
        """
        if self._count > _MANY_PIECES:
            str(self)
        return str(self) if self._count == 1 else self

    def __str__(self) -> str:
        """Join the pieces, and keep the result in a new list: older views still use the old one."""
        if self._count > 1:
            self._pieces = ["".join(self._pieces[: self._count])]
            self._count = 1
        return "".join(self._pieces[: self._count])
