"""What tests of the core need of features, and do without where one is left out."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from pydantic import TypeAdapter

from acp_jupyter.api.models.command_table import COMMANDS, Command
from acp_jupyter.features import NAMES

__all__ = ["of_feature", "tables"]

_ADAPTER: TypeAdapter[Any] = TypeAdapter(Command)


def of_feature(name: str, **fields: Any) -> Any:
    """Return a command; None if its feature is left out."""
    if all(row.name != name for row in COMMANDS):
        return None
    return _ADAPTER.validate_python({"name": name, **fields})


def tables(name: str, module: str = "tables") -> dict[str, Any]:
    """Return the rows that the features' tests add to a table of that name, in that module."""
    rows: dict[str, Any] = {}
    for feature in NAMES:
        if find_spec(f"tests.features.{feature}.{module}") is not None:
            rows |= getattr(import_module(f"tests.features.{feature}.{module}"), name, {})
    return rows
