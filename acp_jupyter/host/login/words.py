"""What an agent that needs a login tells, in words that say what to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from acp_jupyter.errors import LoginNeeded
from acp_jupyter.protocol.parse.login import AuthMethod, auth_methods

__all__ = ["login_needed", "silent_for_want_of_login", "variable_advice"]

_SAID_CHARS = 300


def silent_for_want_of_login(initialize_result: Mapping[str, Any]) -> bool:
    """Tell whether an agent that does not answer may wait for a login: it offers ways to."""
    return bool(auth_methods(dict(initialize_result)))


def login_needed(name: str, message: str, offer: Mapping[str, Any]) -> LoginNeeded:
    """Make the error of an agent that opens no session.

    Parameters
    ----------
    name
        Of the agent.
    message
        What it answered.
    offer
        Its answer to ``initialize``.
    """
    message = " ".join(message.split()).rstrip(".")[:_SAID_CHARS]
    methods = auth_methods(dict(offer))
    if methods:
        names = ", ".join(method.name for method in methods)
        what = f"Log in to it in the panel ({names}), then send the message again."
    else:
        what = (
            "It offers no way to log in from here. Log in to it in a terminal as its "
            "documentation says, then send the message again."
        )
    return LoginNeeded(
        f"{name} needs a login{f': {message}' if message else ''}. {what}", offer=offer
    )


def variable_advice(name: str, agent_id: str, method: AuthMethod) -> str:
    """Say where to set the variables that an agent reads. Their values never pass through a page.

    Parameters
    ----------
    name, agent_id
        Of the agent.
    method
        The method that names them.
    """
    names = ", ".join(f"{v.name} (optional)" if v.optional else v.name for v in method.variables)
    where = f"{method.link} has the key. " if method.link else ""
    return (
        f"{name} reads {names or 'a variable that it does not name'}. {where}"
        "Set it before you start Jupyter; or under env of the agent, in c.AcpJupyter.agents"
        f"[{agent_id!r}] or in acp_agents.json in the Jupyter config path. Then restart the agent."
    )
