"""Ways to log in to an agent, as it offers them."""

from __future__ import annotations

from typing import Literal

from acp_jupyter.packets.base import Model

__all__ = ["AuthKind", "AuthMethod", "AuthVariable"]

AuthKind = Literal["agent", "terminal", "env_var", "other"]


class AuthVariable(Model):
    """A variable that an agent reads a secret from. Its value is never asked for here."""

    name: str
    label: str = ""
    secret: bool = True
    optional: bool = False


class AuthMethod(Model):
    """ACP: auth methods of the answer to ``initialize``."""

    id: str
    name: str
    description: str = ""
    kind: AuthKind = "agent"
    """Who logs in: the agent itself, its own program in a terminal, or a variable."""
    link: str = ""
    """Where a key is to be had."""
    variables: tuple[AuthVariable, ...] = ()
    adds: str = ""
    """What a login in a terminal adds to the agent's own command: variables and arguments."""
