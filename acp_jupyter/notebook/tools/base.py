"""What every tool's arguments have in common."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

__all__ = [
    "Code",
    "Id",
    "Seconds",
    "Source",
    "ToolInput",
    "WrongArguments",
    "input_schema",
    "read_input",
]

_MOST_CHARS = 200_000
_CODE_CHARS = 8_000
_MOST_SECONDS = 3600.0

Id = Annotated[str, Field(min_length=1, max_length=200)]
Source = Annotated[str, Field(max_length=_MOST_CHARS)]
Code = Annotated[str, Field(min_length=1, max_length=_CODE_CHARS)]
Seconds = Annotated[float, Field(gt=0, le=_MOST_SECONDS)]

_Input = TypeVar("_Input", bound="ToolInput")


class WrongArguments(Exception):
    """The arguments do not fit the tool; the message says which."""


class ToolInput(BaseModel):
    """Arguments of a tool."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    tool: ClassVar[str]
    title: ClassVar[str]
    words: ClassVar[str]
    """What an agent reads of it."""
    changes: ClassVar[bool] = True
    """Whether it changes or runs something, and so needs permission."""


def input_schema(row: type[ToolInput]) -> dict[str, Any]:
    """Return the JSON Schema of a tool's arguments, without the names of our classes."""
    schema = row.model_json_schema()
    schema.pop("description", None)
    schema.pop("title", None)
    for field in schema.get("properties", {}).values():
        field.pop("title", None)
    return {"type": "object", "properties": {}, **schema}


def read_input(row: type[_Input], arguments: dict[str, Any]) -> _Input:
    """Check the arguments of a call.

    Raises
    ------
    WrongArguments
        They do not fit; the message names the first that does not.
    """
    try:
        return row.model_validate(arguments)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))[:100]
        raise WrongArguments(f"{row.tool}: {place or 'arguments'}: {first['msg']}.") from None
