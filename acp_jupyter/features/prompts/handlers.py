"""The handler of ``list_prompts``."""

from __future__ import annotations

import asyncio

from acp_jupyter.api.access import Caller, folder_of, notebook_of, visible_session
from acp_jupyter.api.commands.handler_context import HandlerContext
from acp_jupyter.api.models.command_row import handles
from acp_jupyter.features.prompts import expand
from acp_jupyter.features.prompts.commands import ListPrompts, SavedPrompts
from acp_jupyter.features.prompts.prompt_file import PromptFolder
from acp_jupyter.host.host import AgentHost


class PromptLister:
    """Lists the saved prompts of a folder."""

    def __init__(self, host: AgentHost) -> None:
        self._host = host

    @handles(ListPrompts)
    async def list(self, command: ListPrompts, caller: Caller) -> SavedPrompts:
        """Return them as their files are now."""
        limits = self._host.config.limits
        if not command.session_id:
            notebook, _ = notebook_of(caller, command.notebook_path)
            folder = folder_of(caller, self._host.config.root, None, notebook)
            return await asyncio.to_thread(PromptFolder(folder, limits).all)
        session = visible_session(self._host, command.session_id, caller)
        own = expand.commands_of(self._host, session)
        found = await asyncio.to_thread(PromptFolder(expand.folder_of(session), limits).all)
        prompts = (each.model_copy(update={"hidden": each.name in own}) for each in found.prompts)
        return found.model_copy(update={"prompts": tuple(prompts)})


def handlers(context: HandlerContext) -> tuple[object, ...]:
    """Make it."""
    return (PromptLister(context.host),)
