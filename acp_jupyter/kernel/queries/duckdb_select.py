"""What a query of DuckDB reads and calls, as DuckDB itself parses it.

Only kinds of expressions that are known here pass: a later version's are refused, not guessed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from acp_jupyter.kernel.queries.source import QueryError

_MAX_NODES = 100_000
_ONLY_SELECT = (
    "Only one SELECT is run here, nothing that changes, attaches, copies, sets or summarises."
)
_PARTS = frozenset(
    {
        *("SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"),
        *("BASE_TABLE", "SUBQUERY", "JOIN", "TABLE_FUNCTION", "EXPRESSION_LIST", "EMPTY"),
        *("EMPTY_FROM", "ORDER_MODIFIER", "LIMIT_MODIFIER", "LIMIT_PERCENT_MODIFIER"),
        *("DISTINCT_MODIFIER", "ASCENDING", "DESCENDING", "ORDER_DEFAULT"),
    }
)
_EXPRESSIONS = frozenset(
    {
        *("COLUMN_REF", "CONSTANT", "FUNCTION", "CAST", "COMPARISON", "CONJUNCTION", "CASE"),
        *("SUBQUERY", "WINDOW", "OPERATOR", "BETWEEN", "LAMBDA", "LAMBDA_REF", "COLLATE", "TYPE"),
        *("STAR", "POSITIONAL_REFERENCE"),
    }
)
_TABLE_FUNCTIONS = frozenset(
    {
        *("range", "generate_series", "unnest", "repeat", "json_each", "json_tree"),
        *("duckdb_columns", "duckdb_constraints", "duckdb_databases", "duckdb_indexes"),
        *("duckdb_schemas", "duckdb_tables", "duckdb_views"),
    }
)
"""Functions in the place of a table that read no file, no value of a table and change nothing."""


@dataclass(slots=True)
class Select:
    """What a query names."""

    tables: set[str] = field(default_factory=set)
    """Names of tables, views and of queries in ``WITH``; without case, as all of these."""
    with_names: set[str] = field(default_factory=set)
    """Names that ``WITH`` gives."""
    aliases: set[str] = field(default_factory=set)
    """Other names of tables: as a column, one stands for all columns."""
    columns: set[str] = field(default_factory=set)
    """Each part of each name of a column."""
    last_parts: set[str] = field(default_factory=set)
    """The last parts of names of columns."""
    functions: set[str] = field(default_factory=set)
    unnamed: str = ""
    """What reads columns without their names, such as ``*``; empty if nothing does."""

    def add(self, other: Select) -> None:
        """Add what a view names."""
        self.tables |= other.tables
        self.with_names |= other.with_names
        self.aliases |= other.aliases
        self.columns |= other.columns
        self.last_parts |= other.last_parts
        self.functions |= other.functions
        self.unnamed = self.unnamed or other.unnamed


def read_select(cursor: Any, sql: str) -> Select:
    """Return what a query names.

    Raises
    ------
    QueryError
        It is no single SELECT, or has what is not known to read only.
    """
    tree = json.loads(cursor.execute("SELECT json_serialize_sql(?)", [sql]).fetchone()[0])
    if tree.get("error"):
        words = str(tree.get("error_message", ""))[:500]
        raise QueryError(_ONLY_SELECT if "SELECT" in words else f"It can't be parsed: {words}")
    statements = tree.get("statements")
    if not isinstance(statements, list) or len(statements) != 1:
        raise QueryError(_ONLY_SELECT)
    found = Select()
    for number, part in enumerate(_parts_of(statements[0])):
        if number > _MAX_NODES:
            raise QueryError("The query is too long to be checked.")
        _take(part, found)
    return found


def _parts_of(tree: Any) -> Iterator[dict[str, Any]]:
    left = [tree]
    while left:
        part = left.pop()
        if isinstance(part, dict):
            yield part
            left.extend(part.values())
        elif isinstance(part, list):
            left.extend(part)


def _take(part: dict[str, Any], found: Select) -> None:
    kind, expression = part.get("type"), part.get("class")
    if isinstance(expression, str):
        if expression not in _EXPRESSIONS:
            raise QueryError(f"{_ONLY_SELECT} It has: {_readable(expression)}.")
    elif isinstance(kind, str) and kind not in _PARTS and not kind.endswith("_TYPE_INFO"):
        raise QueryError(f"{_ONLY_SELECT} It has: {_readable(kind)}.")
    if isinstance(name := part.get("function_name"), str):
        found.functions.add(name.casefold())
    if expression == "COLUMN_REF":
        names = [str(each).casefold() for each in part.get("column_names", ())]
        found.columns.update(names)
        found.last_parts.update(names[-1:])
    elif expression == "STAR":
        found.unnamed = "*"
    elif expression == "POSITIONAL_REFERENCE":
        found.unnamed = "A position such as #1"
    elif expression is None:
        _take_table(part, found)


def _take_table(part: dict[str, Any], found: Select) -> None:
    if isinstance(alias := part.get("alias"), str) and alias:
        found.aliases.add(alias.casefold())
    found.columns.update(str(each).casefold() for each in part.get("using_columns") or ())
    if isinstance(name := part.get("key"), str) and "value" in part:
        found.with_names.add(name.casefold())
    match part.get("type"):
        case "BASE_TABLE":
            found.tables.add(str(part.get("table_name", "")).casefold())
            if part.get("column_name_alias"):
                found.unnamed = "A list of other names of a table's columns"
        case "JOIN" if part.get("ref_type") == "NATURAL":
            found.unnamed = "NATURAL JOIN"
        case "TABLE_FUNCTION":
            called = part.get("function")
            name = called.get("function_name") if isinstance(called, dict) else None
            if str(name).casefold() not in _TABLE_FUNCTIONS:
                raise QueryError(
                    f"{str(name)[:100]}() in the place of a table may read files or values that "
                    "are masked, or change something. Query tables, or use run_code."
                )
        case _:
            return


def _readable(kind: str) -> str:
    return kind[:60].replace("_", " ").lower()
