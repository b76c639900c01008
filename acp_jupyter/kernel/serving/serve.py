"""`serve`: an agent that is written in a notebook answers in that notebook."""

from __future__ import annotations

import threading
from typing import Any

from acp_jupyter.errors import BadRequest
from acp_jupyter.kernel.client.host_client import HostClient
from acp_jupyter.kernel.client.server_client import host_client
from acp_jupyter.kernel.execution_context import execution_context
from acp_jupyter.kernel.serving.agent_thread import AgentThread, check_agent
from acp_jupyter.kernel.serving.door import Door
from acp_jupyter.kernel.serving.sharing import SharedAgent

_lock = threading.Lock()
_doors: list[Door] = []
"""The kernel's socket, once it is needed; at most one."""
_keys: dict[tuple[HostClient, str], str] = {}
"""The keys of the served agents, by host and agent id."""


class Served:
    """A served agent; its representation says how to use it."""

    def __init__(self, name: str, words: str) -> None:
        self.name = name
        self._words = words

    def __repr__(self) -> str:
        return self._words


def serve(agent: Any, *, name: str) -> Served:
    """Serve an agent from this kernel to its notebook.

    Until the kernel ends, ``%%acp NAME``, the side panel and ``connect(NAME)`` of this notebook
    use the agent like any other. It runs on a thread of its own, so it can work while a cell
    waits. Another agent served under the same name replaces it at the next turn.

    Parameters
    ----------
    agent
        An ``acp.Agent`` of the protocol's SDK. Only ``prompt`` is required: without
        ``initialize`` or ``new_session``, defaults are used.
    name
        The agent's name in this notebook. A configured agent must not have the same name.

    Raises
    ------
    BadRequest
        The object is no agent, another agent has the name, or the host can't reach this kernel.
    NotAllowed
        The administrator does not allow it, or an agent runs this code.

    Examples
    --------
    >>> acp_jupyter.serve(Librarian(), name="librarian")
    """
    client = host_client()
    if client.behind_gateway:
        raise BadRequest(
            "This kernel runs behind a gateway, where the Jupyter server can't reach an agent in "
            "it. Serve the agent in a kernel on the server's machine."
        )
    check_agent(agent)
    serve_to(client, agent, name)
    return Served(name, _words(name))


def serve_to(client: HostClient, agent: Any, name: str) -> None:
    """Serve an agent to a host."""
    shared = SharedAgent(AgentThread(agent, name), name)
    with _lock:
        if not _doors:
            _doors.append(Door())
            _doors[0].start()
        address, key = _doors[0].open_for(shared)
        try:
            entry = client.serve_agent(name, address, key)
        except BaseException:
            _doors[0].shut_for(key)
            raise
        before = _keys.get((client, entry.id))
        _keys[client, entry.id] = key
        if before is not None:
            _doors[0].shut_for(before, successor=key)


def serve_no_more(client: HostClient) -> None:
    """End the agents of a closed host."""
    with _lock:
        for served in [each for each in _keys if each[0] is client]:
            _doors[0].shut_for(_keys.pop(served))


def _words(name: str) -> str:
    if execution_context().frontend in {"notebook", "batch"}:
        return f"{name} answers in this notebook: %%acp {name}, until the kernel ends."
    return f'{name} answers here: acp_jupyter.connect("{name}"), until this program ends.'
