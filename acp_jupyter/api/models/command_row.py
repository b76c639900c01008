"""`CommandRow`: one row of the table of commands; `handles` marks a command's handler.

A route works in both directions: the server makes a command from a request, the kernel's client
makes a request from a command.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Literal, TypeAlias, TypeVar
from urllib.parse import quote, urlencode

from pydantic import TypeAdapter

from acp_jupyter.protocol.objects import Model


class BaseCommand(Model):
    """A request of a page, a kernel or an HTTP client to the host."""

    name: str
    """The command's name on the wire; each command has its own."""


Method = Literal["GET", "POST", "DELETE"]


@dataclass(frozen=True, slots=True)
class Route:
    """The HTTP request of a command.

    Other query arguments, such as a token, are ignored.
    """

    method: Method
    path: str
    """Path below the API's root, with ``{field}`` for a field of the command."""
    status: int = 200
    body: bool = False
    """Whether a JSON body has the fields that are neither in the path nor in the query."""
    raw_body: str = ""
    """The field that is the whole body, if that is not JSON."""
    body_bytes: int = 32 * 1024 * 1024
    """Longest body."""
    query: Mapping[str, str] = field(default_factory=dict)
    """Query arguments, by the field that they set."""
    sends_defaults: bool = True
    """Whether a kernel also sends fields that have their default."""

    @property
    def path_fields(self) -> tuple[str, ...]:
        """The fields in the path."""
        return tuple(re.findall(r"\{(\w+)\}", self.path))

    def request(self, command: BaseCommand) -> tuple[str, str, bytes]:
        """Return the method, the path with its query, and the body of a command's request."""
        parts = {name: quote(str(getattr(command, name)), safe="") for name in self.path_fields}
        none, defaults = self.sends_defaults, not self.sends_defaults
        asked = set(self.query.values())
        values = command.model_dump(include=asked, exclude_none=none, exclude_defaults=defaults)
        named = {arg: values[to] for arg, to in self.query.items() if values.get(to, "") != ""}
        path = self.path.format(**parts) + (f"?{urlencode(named)}" if named else "")
        if not self.body:
            return self.method, path, getattr(command, self.raw_body) if self.raw_body else b""
        elsewhere = {"name", *asked, *self.path_fields}
        body = command.model_dump_json(
            exclude=elsewhere, exclude_none=none, exclude_defaults=defaults
        )
        return self.method, path, body.encode()


GET = partial(Route, "GET")
POST = partial(Route, "POST")
DELETE = partial(Route, "DELETE")


def same(*names: str) -> dict[str, str]:
    """Return query arguments with the same names as their fields."""
    return {name: name for name in names}


@dataclass(frozen=True)
class CommandRow:
    """The facts about a command, whatever its arguments are.

    A handler may refuse more: checks that depend on the session or on a field are there.
    """

    model: type[BaseCommand]
    route: Route | None
    """None for a command that is only sent over a WebSocket or a comm."""
    result: Any = None
    """The type of its result; None if there is none."""
    only_user: str = ""
    """What a kernel may not do, as a verb phrase: "delete a session". Empty if kernels may."""
    grants: bool = False
    """Whether it always answers or allows something: see `needs_proof`."""
    while_agent_code_runs: bool = False
    """Whether a kernel may send it while it runs an agent's code. True for commands that only read
    or stop."""
    wakes: Literal["session", "turn", "notebook"] | None = None
    """Which stored session is opened first: that of ``session_id``, that of ``turn_id``, or the
    newest of ``notebook_path``."""
    while_kernel_stops: bool = True
    """Whether a kernel may send it while it shuts down or restarts."""
    finds_kernel: bool = False
    """Whether the kernel of the notebook at ``notebook_path`` is looked up first."""
    in_page: bool = True
    """Whether the page's types include its result."""

    @cached_property
    def name(self) -> str:
        """The command's name on the wire."""
        name: str = self.model.model_fields["name"].default
        return name

    @cached_property
    def _result(self) -> TypeAdapter[Any]:
        return TypeAdapter(self.result)

    def read_result(self, result: object) -> Any:
        """Parse a result, which may be JSON, as the row's type."""
        if self.result is None:
            return None
        return self._result.validate_python(result, strict=False)


# -- handlers --------------------------------------------------------------

Result: TypeAlias = Model | list[Model] | dict[str, str]
Handler: TypeAlias = Callable[[Any, Any], Coroutine[Any, Any, Result]]

_Group = TypeVar("_Group")
_Command = TypeVar("_Command", bound=BaseCommand)
_Caller = TypeVar("_Caller")
_Result = TypeVar("_Result")
_Method: TypeAlias = Callable[[_Group, _Command, _Caller], Coroutine[Any, Any, _Result]]

_MARK = "_acp_handles"


def handles(
    model: type[_Command],
) -> Callable[
    [_Method[_Group, _Command, _Caller, _Result]], _Method[_Group, _Command, _Caller, _Result]
]:
    """Mark a method as the handler of a command; it takes the command and its caller."""

    def mark(
        method: _Method[_Group, _Command, _Caller, _Result],
    ) -> _Method[_Group, _Command, _Caller, _Result]:
        setattr(method, _MARK, model)
        return method

    return mark


def handlers_of(*groups: object) -> dict[type[BaseCommand], Handler]:
    """Return the marked methods of objects, by their commands."""
    return {
        getattr(method, _MARK): getattr(group, name)
        for group in groups
        for name, method in vars(type(group)).items()
        if hasattr(method, _MARK)
    }
