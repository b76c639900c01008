"""Login methods of an agent: types, and a parser for what it offers.

Nothing that an agent offers is trusted. No secret passes through here: agents keep their own.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from acp_jupyter.protocol.objects import Model, Obj, first, flag, items, obj, text

AuthKind = Literal["agent", "terminal", "env_var", "other"]


class AuthVariable(Model):
    """An environment variable with a secret for an agent. Its value is never asked for here."""

    name: str
    label: str = ""
    secret: bool = True
    optional: bool = False


class AuthMethod(Model):
    """ACP: auth methods in the response to ``initialize``."""

    id: str
    name: str
    description: str = ""
    kind: AuthKind = "agent"
    """Who performs the login: the agent itself, its own program in a terminal, or a variable."""
    link: str = ""
    """Where to get a key."""
    variables: tuple[AuthVariable, ...] = ()
    adds: str = ""
    """What a login in a terminal adds to the agent's command: variables and arguments."""


_AUTH_REQUIRED = -32000
_METHODS = 20
_VARIABLES = 20
_ARGS = 64
_NAME_CHARS = 100
_TEXT_CHARS = 1000
_ADDS_CHARS = 4000
_OLDER = "terminal-auth"
"""Key in ``_meta`` by which agents offered terminals before the protocol did."""

_NEEDS_LOGIN = re.compile(
    r"auth(?:entication|orization)?[ _](?:is )?required|login[ _]required"
    r"|not (?:logged|signed) in|not authenticated|unauthenticated"
    r"|(?:please|must|need to|have to) (?:first )?(?:log|sign) ?in|run .{0,40}\blog ?in\b",
    re.IGNORECASE,
)
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")


@dataclass(frozen=True, slots=True)
class TerminalLogin:
    """What a terminal method adds to the agent's own command."""

    args: tuple[str, ...]
    env: dict[str, str]
    command: str
    """Usually empty: only older agents send it, and it counts only if it is the agent's own."""


def is_login_error(code: int | str | None, message: str, detail: str = "") -> bool:
    """Return whether an error says that its agent needs a login."""
    return str(code) == str(_AUTH_REQUIRED) or bool(
        _NEEDS_LOGIN.search(message[:_TEXT_CHARS]) or _NEEDS_LOGIN.search(detail[:_TEXT_CHARS])
    )


def auth_methods(result: Obj) -> tuple[AuthMethod, ...]:
    """Read the methods in the response to ``initialize``; one without an id is left out."""
    found: dict[str, AuthMethod] = {}
    for raw in _listed(result):
        method_id = _id(raw)
        if method_id and len(found) < _METHODS:
            found.setdefault(method_id, _method(method_id, raw))
    return tuple(found.values())


def terminal_login(result: Obj, method_id: str) -> TerminalLogin | None:
    """Return the command of a terminal method, or None if it is malformed."""
    return _terminal(next((raw for raw in _listed(result) if _id(raw) == method_id), {}))


def assignments(env: Mapping[str, str]) -> tuple[str, ...]:
    """Return variables as typed before a command."""
    return tuple(f"{name}={shlex.quote(value)}" for name, value in env.items())


def _terminal(raw: Obj) -> TerminalLogin | None:
    older = obj(obj(raw.get("_meta")).get(_OLDER))
    body = raw if raw.get("type") == "terminal" else older
    args = body.get("args") or []
    if not isinstance(args, list) or len(args) > _ARGS:
        return None
    if not all(isinstance(arg, str) and "\0" not in arg for arg in args):
        return None
    return TerminalLogin(
        tuple(arg for arg in args if isinstance(arg, str)),
        _environment(body.get("env")),
        "" if body is raw else text(older.get("command")),
    )


def _listed(result: Obj) -> list[Obj]:
    listed = items(first(result, "authMethods", "auth_methods"))
    return [*map(obj, listed[: 5 * _METHODS])]


def _id(raw: Obj) -> str:
    method_id = text(first(raw, "id", "methodId"))
    return method_id if len(method_id) <= _TEXT_CHARS else ""


def _method(method_id: str, raw: Obj) -> AuthMethod:
    listed = items(first(raw, "vars", "variables"))
    # Before there could be several variables, there was one.
    single = text(first(raw, "varName", "var_name"))
    variables = [_variable(obj(v)) for v in listed] or [_variable({"name": single})]
    link = text(raw.get("link"))
    return AuthMethod(
        id=method_id,
        name=(text(raw.get("name")).strip() or method_id)[:_NAME_CHARS],
        description=text(raw.get("description")).strip()[:_TEXT_CHARS],
        kind=_kind(raw),
        link=link[:_TEXT_CHARS] if link.startswith("https://") else "",
        variables=tuple(v for v in variables if v is not None)[:_VARIABLES],
        adds=_adds(raw) if _kind(raw) == "terminal" else "",
    )


def _adds(raw: Obj) -> str:
    login = _terminal(raw)
    if login is None:
        return ""
    argv = (login.command, *login.args) if login.command else login.args
    return " ".join((*assignments(login.env), shlex.join(argv))).strip()[:_ADDS_CHARS]


def _kind(raw: Obj) -> AuthKind:
    match raw.get("type"):
        case None | "agent":
            older = obj(obj(raw.get("_meta")).get(_OLDER))
            return "terminal" if older else "agent"
        case "terminal":
            return "terminal"
        case "env_var":
            return "env_var"
        case _:
            return "other"


def _variable(raw: Obj) -> AuthVariable | None:
    name = text(raw.get("name"))
    if not _VARIABLE.fullmatch(name):
        return None
    return AuthVariable(
        name=name,
        label=text(raw.get("label"))[:_NAME_CHARS],
        secret=raw.get("secret") is not False,
        optional=flag(raw.get("optional")),
    )


def _environment(raw: JsonValue) -> dict[str, str]:
    """Read variables from an object, or from a list of names and values."""
    pairs: list[tuple[JsonValue, JsonValue]] = [*obj(raw).items()]
    pairs += [(entry.get("name"), entry.get("value")) for entry in map(obj, items(raw))]
    return {
        name: value
        for name, value in pairs[:_ARGS]
        if isinstance(name, str)
        and isinstance(value, str)
        and _VARIABLE.fullmatch(name)
        and "\0" not in value
    }
