"""Variants of a prompt: their sessions, in copies of a folder."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from acp_jupyter.api.access import (
    Caller,
    KernelCaller,
    folder_of,
    notebook_of,
    place_of,
    sender,
)
from acp_jupyter.api.commands.handler_context import HandlerContext
from acp_jupyter.api.models.command_row import handles
from acp_jupyter.api.models.sessions import CreateSession
from acp_jupyter.errors import BadRequest
from acp_jupyter.features.variants.commands import CreateVariant
from acp_jupyter.features.variants.copies import VariantCopies
from acp_jupyter.features.variants.kernel_request import NoKernel, VariantKernelRequest
from acp_jupyter.host.bounds import require_no_more
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.host.workspace.copied_folders import FolderCopy
from acp_jupyter.host.workspace.own_kernels import OwnKernel
from acp_jupyter.protocol.host_events.session import Network, Sandbox, Variant
from acp_jupyter.transcript.model.session_state import SessionState

if TYPE_CHECKING:
    from acp_jupyter.features.variants.server import VariantsOnServer


class VariantCommands:
    """Carries out commands about variants. Lives on the host's loop."""

    def __init__(self, context: HandlerContext) -> None:
        self._host = host = context.host
        self._trust = context.trust
        self._copies = VariantCopies(host.copies, host.config.limits)

    @handles(CreateVariant)
    async def create(self, command: CreateVariant, caller: Caller) -> SessionState:
        """Create the session of a variant in a copy of the folder; return its state."""
        self._host.config.bounds.require_sandbox(command.sandbox)
        registry = self._host.config.registry
        place = place_of(caller, command.notebook_path)
        agent = await asyncio.to_thread(registry.id_of, command.agent, place)
        spec = registry.get(agent, place)
        if not spec.command:
            raise BadRequest(f"{spec.name} can't be started here.")
        notebook, kernel_id = notebook_of(caller, command.notebook_path)
        folder = folder_of(caller, self._host.config.root, command.cwd, notebook)
        sandbox, network = await self._beside(agent, notebook)
        if command.network is not None and isinstance(caller, KernelCaller):
            configured = spec.sandbox.network or self._host.config.network
            require_no_more(command.network, network or configured)
        asked = CreateSession(agent=agent, trust=command.trust, ask_trust=command.ask_trust)
        await self._trust.admit(asked, caller, notebook, folder)
        self._host.sessions.make_room()  # before all is copied
        variant, copy = await self._copies.copy(Path(folder), command.try_id)
        session = None
        try:
            kernel = await self._kernel(command, variant, copy, notebook, kernel_id)
            copy.kernel = None if isinstance(kernel, NoKernel) else kernel
            empty = copy.kernel is not None and command.restore == "none"
            variant = variant.model_copy(update={"kernel": kernel.words, "begins_empty": empty})
            session = self._host.open(
                agent,
                folder,
                notebook_path=notebook,
                label=f"Variant {variant.number}",
                kernel_id=kernel_id,
                sandbox=command.sandbox or sandbox,
                network=command.network or network,
                user=sender(caller),
                copy=(variant, copy),
            )
            session.tools_on = copy.kernel is not None
            session.tools_refused = not session.tools_on
            await self._host.sessions.save_new(session)
            self._trust.grant(asked, session, caller)
        except BaseException:
            await asyncio.shield(self._drop(session, copy))
            raise
        return session.state

    async def _beside(self, agent: str, notebook: str) -> tuple[Sandbox | None, Network | None]:
        """Return the sandbox of the notebook's session with an agent; None if it has none."""
        if not notebook:
            return None, None
        beside = self._host.sessions.find(agent, notebook, "")
        if beside is None:
            beside = await self._host.sessions.find_stored(agent, notebook, "")
        if beside is None:
            return None, None
        sandbox = self._host.config.bounds.within_sandbox(beside.state.sandbox)
        return sandbox, beside.state.network

    async def _kernel(
        self,
        command: CreateVariant,
        variant: Variant,
        copy: FolderCopy,
        notebook: str,
        kernel_id: str,
    ) -> OwnKernel | NoKernel:
        config = self._host.config
        if not notebook:
            return NoKernel("no notebook of a Jupyter server asks for it")
        if config.tools is None or not command.tools:
            return NoKernel("the notebook tools are turned off")
        server: VariantsOnServer | None = config.parts.get("variants")
        if server is None:
            return NoKernel("no Jupyter server can start one here")
        path = config.root / notebook
        return await server.plan(
            VariantKernelRequest(variant, copy, path, kernel_id, command.cell_id, command.restore)
        )

    async def _drop(self, session: Session | None, copy: FolderCopy) -> None:
        """Remove a variant whose creation failed."""
        try:
            if session is not None and session.session_id in self._host.sessions:
                await self._host.sessions.delete(session.session_id)
        finally:
            await copy.remove()


def handlers(context: HandlerContext) -> tuple[VariantCommands]:
    """Make them."""
    return (VariantCommands(context),)
