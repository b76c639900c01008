"""The environment of an agent process: the user's, without what would let it act as Jupyter."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["agent_environment"]

_SECRET_PREFIXES = (
    "ACP_JUPYTER_",
    "JPY_",
    "JUPYTERHUB_",
    "JUPYTER_TOKEN",
    "JUPYTER_PASSWORD",
    "JUPYTER_SERVER_",
    "JUPYTER_GATEWAY_",
    "KERNEL_",
)


def agent_environment(base: Mapping[str, str], extra: Mapping[str, str]) -> dict[str, str]:
    """Build the full environment of an agent.

    Parameters
    ----------
    base
        The environment of the process that starts the agent. All of it is passed on (API keys,
        proxies, certificates), except Jupyter's and our own variables: an agent with the
        server's token could answer its own permission requests.
    extra
        The agent's configured variables. They are the user's explicit choice and win.
    """
    kept = {
        name: value for name, value in base.items() if not name.upper().startswith(_SECRET_PREFIXES)
    }
    return {**kept, **extra}
