"""Prompts accepted, and what is set for the prompts to come."""

from __future__ import annotations

import asyncio

from acp_jupyter.delivery.access import seen_session, users_only
from acp_jupyter.delivery.callers import Caller, KernelCaller
from acp_jupyter.delivery.choosing import choose
from acp_jupyter.delivery.commands import PromptSession, SetConfig
from acp_jupyter.delivery.deciding import sender
from acp_jupyter.delivery.notebooks import Surroundings
from acp_jupyter.errors import SessionImported
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.rules.session import turn_rules
from acp_jupyter.transcript.session_state import SessionState

__all__ = ["Prompting"]


class Prompting:
    """Hands prompts to their session.

    Parameters
    ----------
    host
        Owner of the sessions.
    pages_and_kernels
        Pages and kernels.
    """

    def __init__(self, host: AgentHost, pages_and_kernels: Surroundings) -> None:
        self._host = host
        self._pages_and_kernels = pages_and_kernels

    async def prompt(self, command: PromptSession, caller: Caller) -> dict[str, str]:
        """Start or queue a turn; it is on disk when this returns.

        Raises
        ------
        AcpError
            Any of its kinds.
        """
        session = seen_session(self._host, command.session_id, caller)
        origin, kernel_id = command.origin, ""
        if isinstance(caller, KernelCaller):
            kernel_id = caller.kernel_id
            if origin is not None:
                names = {"kernel_id": caller.kernel_id, "notebook_path": caller.notebook_path}
                origin = origin.model_copy(update=names)
            if self._pages_and_kernels.holds(caller.notebook_path):
                session.attach()
        elif command.can_ask:
            session.attach()
        # The prompt is written down before its turn begins.
        await asyncio.to_thread(session.turn_files.read_secrets)
        turn_id = session.prompt(
            command.prompt,
            policy=command.policy,
            origin=origin,
            can_ask=command.can_ask,
            rules=turn_rules(command.allow, command.deny),
            user=sender(caller),
            kernel_id=kernel_id,
        )
        # What was accepted outlives a server that is killed.
        await self._host.save(session)
        return {"turn_id": turn_id}

    async def configure(self, command: SetConfig, caller: Caller) -> SessionState:
        """Change what is given of a session; a policy only for its user.

        Raises
        ------
        AcpError
            Any of its kinds.
        """
        session = seen_session(self._host, command.session_id, caller)
        if session.state.read_only:
            raise SessionImported(session.state.read_only)
        if command.policy is not None:
            users_only(caller, "change the policy of a session")
            session.set_policy(command.policy, sender(caller))
            await asyncio.to_thread(session.journal.flush)  # it outlives a server that is killed
        if command.title is not None:
            session.rename(command.title)
        await choose(session, caller, mode=command.mode, config=command.config)
        return session.state
