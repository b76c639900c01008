"""What the tools for tables read of a kernel: a list, one description, and whether a query may run.

No row of a database is read here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping

from acp_jupyter.kernel.connections import describe_connections_table, read_catalogue
from acp_jupyter.kernel.masked_values import covering
from acp_jupyter.kernel.queries.run_query import check_query
from acp_jupyter.kernel.queries.source import QueryError
from acp_jupyter.kernel.values import FAILURES, TimeUp, is_tabular, time_limit
from acp_jupyter.kernel.variables import describe, users_variables, variable_of
from acp_jupyter.kernel.wrapped_connections import connection_library
from acp_jupyter.notebook_tools.kernel_runner import Inspection
from acp_jupyter.protocol.formatting import shorten_end

_MAX_LISTED = 200
_LIST_SECONDS = 5.0
"""Time for all; later variables are listed without their tables."""
_SECONDS = 5.0
_MAX_CHARS = 30_000


def list_tables(
    namespace: Mapping[str, object],
    hidden: Iterable[str] = (),
    clock: Callable[[], float] = time.monotonic,
) -> Inspection:
    """Return the tables and the connections of a namespace; nothing is found where there are none.

    Parameters
    ----------
    hidden
        Names that are not the user's.
    """
    found = {
        name: value
        for name, value in users_variables(namespace, hidden).items()
        if connection_library(value) or is_tabular(value)
    }
    end = clock() + _LIST_SECONDS
    cover = covering(namespace)
    lines: list[str] = []
    for name, value in list(found.items())[:_MAX_LISTED]:
        late = clock() > end
        if connection_library(value):
            lines += _connection_lines(name, value, late=late)
        else:
            each = variable_of(name, value, cover, late=late)
            lines.append(f"{each.name}: {each.type} {each.detail}".rstrip())
    if len(found) > _MAX_LISTED:
        lines.append(f"… {len(found) - _MAX_LISTED} more")
    return Inspection(found=bool(found), text=shorten_end("\n".join(lines), _MAX_CHARS))


def _connection_lines(name: str, value: object, *, late: bool) -> list[str]:
    library = connection_library(value)
    if late:
        return [f"{name}: {library} connection, not looked into: there was no more time"]
    try:
        with time_limit(_SECONDS):
            first, *tables = read_catalogue(value).lines()
    except (*FAILURES, TimeUp) as error:
        words = str(error)[:200] or type(error).__name__
        return [f"{name}: {library} connection, its tables can't be read: {words}"]
    return [f"{name}: {first}", *(f"    {line}" for line in tables)]


def describe_for_tool(namespace: Mapping[str, object], name: str, table: str = "") -> Inspection:
    """Return the description of a variable, or of a table of a connection."""
    if name not in namespace:
        return _not_found(f"There is no variable {name[:100]!r} in the kernel.")
    value = namespace[name]
    if not table:
        return Inspection(found=True, text=describe(name, value).text)
    if not connection_library(value):
        return _not_found(f"{name} is no connection, so it has no tables. Leave `table` out.")
    try:
        with time_limit(_SECONDS):
            words = describe_connections_table(value, table)
    except (*FAILURES, TimeUp) as error:
        return _not_found(f"The tables of {name} can't be read: {str(error)[:500]}.")
    if words is None:
        return _not_found(f"{name} has no table {table[:100]!r}.")
    return Inspection(found=True, text=words)


def query_refusal(namespace: Mapping[str, object], name: str, sql: str) -> Inspection:
    """Return why a query would not be run; nothing is found where it would be."""
    try:
        check_query(namespace, name, sql)
    except QueryError as error:
        return Inspection(found=True, text=str(error))
    return Inspection(found=False)


def _not_found(words: str) -> Inspection:
    return Inspection(found=False, text=f"{words} list_tables lists what there is.")


def tables_json(
    namespace: Mapping[str, object],
    hidden: Iterable[str],
    name: str = "",
    table: str = "",
    sql: str = "",
) -> str:
    """Return `read_tables` as JSON."""
    return read_tables(namespace, hidden, name, table, sql).model_dump_json()


def read_tables(
    namespace: Mapping[str, object],
    hidden: Iterable[str],
    name: str = "",
    table: str = "",
    sql: str = "",
) -> Inspection:
    """Return `query_refusal`, `describe_for_tool` or `list_tables`, by what is given."""
    if sql:
        return query_refusal(namespace, name, sql)
    if name:
        return describe_for_tool(namespace, name, table)
    return list_tables(namespace, hidden)
