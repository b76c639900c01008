"""The HTTP routes, read from the table of commands: which path and method is which command."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import TypeAdapter, ValidationError

from acp_jupyter.api.models.command_row import CommandRow
from acp_jupyter.api.models.command_table import COMMANDS, Command
from acp_jupyter.api.models.frames import validation_message
from acp_jupyter.errors import BadRequest

API = "acp-jupyter/api"

_COMMAND: TypeAdapter[Command] = TypeAdapter(Command)


def _by_path() -> Mapping[str, Mapping[str, CommandRow]]:
    found: dict[str, dict[str, CommandRow]] = {}
    for method in ("GET", "POST", "DELETE"):
        for row in COMMANDS:
            if row.route is not None and row.route.method == method:
                found.setdefault(row.route.path, {})[method] = row
    return found


ROUTES = _by_path()
"""The paths below the API's root, each with its commands by HTTP method."""


def pattern(path: str) -> str:
    """Return a path for tornado, with ``{field}`` as a group."""
    return f"{API}/" + path.replace("{", "(?P<").replace("}", ">[^/]+)")


def build_command(
    row: CommandRow, path: Mapping[str, str], query: Mapping[str, str], body: object
) -> Command:
    """Join what a request carries to a command; the path wins over the body.

    Parameters
    ----------
    row
        The command, with its route.
    path, query
        The path's groups and all query arguments.
    body
        The decoded JSON body, None for an empty one; or the raw one.

    Raises
    ------
    BadRequest
        It is not valid.
    """
    route = row.route
    assert route is not None
    carried: object = {route.raw_body: body} if route.raw_body else {}
    if route.body and body is not None:
        carried = body
    if not isinstance(carried, dict):
        raise BadRequest("The request is not valid (its body must be a JSON object).")
    asked = {to: query[name] for name, to in route.query.items() if name in query}
    try:
        return _COMMAND.validate_python({**carried, **asked, **path, "name": row.name})
    except ValidationError as error:
        raise BadRequest(validation_message(error)) from None
