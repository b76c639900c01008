"""Agents that run in kernels: which ones a notebook has, and when they end.

A kernel serves its agents on a private socket. The host starts a relay to it in place of an agent
process, so that everything else works as for any agent. A separate connection notices the end of
the kernel.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from acp_jupyter.errors import AgentStartError, BadRequest, plain_reason
from acp_jupyter.host.registry_entries import (
    IN_KERNEL,
    AgentReport,
    AgentSpec,
    agent_id_of,
)
from acp_jupyter.own_programs import script_command
from acp_jupyter.system.private_socket import connect

WATCH = "watch "
"""Precedes the key on a connection that only waits for the kernel's end."""

_RELAY = Path(__file__).parents[1] / "socket_relay.py"
_VARIABLE = "ACP_KERNEL_AGENT"
_HELLO_SECONDS = 10.0
_PROOF_BYTES = 1024
_ADDRESS = re.compile(r"unix:/[^\0\n]+|tcp:127\.0\.0\.1:\d{1,5}")
_KEY = re.compile(r"[0-9a-f]{64}")

Listener = Callable[[str, str], None]
"""Is called with a place and the id of an agent there."""


def proof(key: str) -> bytes:
    """Return the line by which a kernel proves that it serves the agent with this key."""
    return hashlib.sha256(key.encode()).hexdigest().encode() + b"\n"


@dataclass(eq=False)
class _Served:
    spec: AgentSpec
    watch: asyncio.Task[None] | None = None
    ended: bool = False


class ServedAgents:
    """The agents that kernels serve, by notebook, or by kernel if it has no notebook.

    Agents are looked up from any thread; everything else runs on the host's loop.
    """

    def __init__(self) -> None:
        self._served: dict[tuple[str, str], _Served] = {}
        self._on_end: list[Listener] = []
        self._on_return: list[Listener] = []

    def on_end(self, listener: Listener) -> None:
        """Call ``listener`` with the place and id of each agent whose kernel has ended."""
        self._on_end.append(listener)

    def on_return(self, listener: Listener) -> None:
        """Call ``listener`` with those of each one that had ended and is served again."""
        self._on_return.append(listener)

    async def serve(self, place: str, name: str, address: str, key: str) -> AgentSpec:
        """Register an agent; it replaces one of the same name."""
        agent_id = agent_id_of(name)
        if agent_id != name.lower():
            raise BadRequest(
                f"{name!r} can't be an agent's name: it has letters, digits, '.', '_' and '-' only."
            )
        if not _ADDRESS.fullmatch(address) or not _KEY.fullmatch(key):
            raise BadRequest("This is no address of an agent in a kernel.")
        reader, writer = await _watching(address, key)
        spec = _spec(name, {_VARIABLE: address, f"{_VARIABLE}_KEY": key})
        place_and_id = place, spec.id
        before = self._served.get(place_and_id)
        self._served[place_and_id] = served = _Served(spec)
        served.watch = asyncio.create_task(
            self._wait_for_end(served, reader), name=f"acp-served-{spec.id}"
        )
        # A task that is cancelled before it begins closes nothing itself.
        served.watch.add_done_callback(lambda _done: writer.close())
        if before is not None and before.watch is not None:
            before.watch.cancel()
        if before is not None and before.ended:
            _tell(self._on_return, place_and_id)
        return spec

    def id_of(self, name: str, place: str) -> str | None:
        """Return the id of the agent with this name, even if it has ended; None if none has it."""
        agent_id = IN_KERNEL + agent_id_of(name)
        return agent_id if (place, agent_id) in self._served else None

    def get(self, agent_id: str, place: str) -> AgentSpec:
        """Return an agent, even if it has ended; `running` refuses those."""
        served = self._served.get((place, agent_id))
        return _spec(agent_id.removeprefix(IN_KERNEL), {}) if served is None else served.spec

    def running(self, agent_id: str, place: str) -> AgentSpec:
        """Return an agent, if it can be started now."""
        served = self._served.get((place, agent_id))
        if served is None or served.ended:
            raise AgentStartError(_not_served(agent_id))
        return served.spec

    def reports(self, place: str) -> Iterator[AgentReport]:
        """Yield the agents of a notebook or kernel."""
        for (where, agent_id), served in tuple(self._served.items()):
            if where == place and served.ended:
                words = _not_served(agent_id)
                yield AgentReport(agent_id, served.spec.name, "broken", words)
            elif where == place:
                yield AgentReport(agent_id, served.spec.name, "ready")

    def move(self, path_after: Callable[[str], str]) -> None:
        """Move agents to the new paths of renamed notebooks."""
        self._served = {
            (path_after(place), agent_id): served
            for (place, agent_id), served in self._served.items()
        }

    async def close(self) -> None:
        """Stop waiting for kernels to end."""
        watches = [served.watch for served in self._served.values() if served.watch is not None]
        for watch in watches:
            watch.cancel()
        await asyncio.gather(*watches, return_exceptions=True)

    async def _wait_for_end(self, served: _Served, reader: asyncio.StreamReader) -> None:
        with contextlib.suppress(OSError):
            while await reader.read(1024):
                pass
        # The place may have changed: its notebook was renamed.
        for place_and_id, current in tuple(self._served.items()):
            if current is served:
                served.ended = True
                _tell(self._on_end, place_and_id)


def _tell(listeners: list[Listener], place_and_id: tuple[str, str]) -> None:
    for listener in listeners:
        listener(*place_and_id)


def _spec(name: str, env: dict[str, str]) -> AgentSpec:
    command, *args = script_command(_RELAY, _VARIABLE)
    agent_id = IN_KERNEL + agent_id_of(name)
    return AgentSpec(agent_id, name, command, tuple(args), MappingProxyType(env))


def _not_served(agent_id: str) -> str:
    name = agent_id.removeprefix(IN_KERNEL)
    return (
        f"{name} runs in a kernel of this notebook, and none serves it now. Run the cell again "
        "that calls acp_jupyter.serve."
    )


async def _watching(address: str, key: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect to a kernel, and check that it serves an agent with this key."""
    writer: asyncio.StreamWriter | None = None
    try:
        async with asyncio.timeout(_HELLO_SECONDS):
            reader, writer = await connect(address, _PROOF_BYTES)
            writer.write(f"{WATCH}{key}\n".encode())
            await writer.drain()
            line = await reader.readuntil()
    except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
        if writer is not None:
            writer.close()
        why = plain_reason(error) if isinstance(error, OSError) else "it does not answer"
        raise BadRequest(
            f"The agent host can't reach this kernel ({why}): an agent in a kernel needs a kernel "
            "that runs on the same machine."
        ) from None
    if line != proof(key):
        writer.close()
        raise BadRequest("The program at this address is not a kernel that serves an agent.")
    return reader, writer
