"""The base of items: their ids, and copies that cost little."""

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
