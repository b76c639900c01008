"""Keys for agents that were started elsewhere: made, listed and revoked by users."""

from __future__ import annotations

import asyncio

from acp_jupyter.api.access import UserCaller, sender
from acp_jupyter.api.commands.handler_context import HandlerContext
from acp_jupyter.api.models.command_row import handles
from acp_jupyter.errors import BadRequest, NotAllowed
from acp_jupyter.features.outside.commands import (
    ListOutsideKeys,
    MakeOutsideKey,
    NewOutsideKey,
    OutsideKeyEntry,
    RevokeOutsideKey,
)
from acp_jupyter.features.outside.keys import KEY_VARIABLE, OutsideKey, OutsideKeys
from acp_jupyter.host.bounds import DECIDED
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.registry_entries import OUTSIDE


class OutsideKeyCommands:
    """Carries out commands about keys."""

    def __init__(self, host: AgentHost, keys: OutsideKeys) -> None:
        self._host = host
        self._keys = keys

    @handles(MakeOutsideKey)
    async def make(self, command: MakeOutsideKey, caller: UserCaller) -> NewOutsideKey:
        """Make a key for a notebook."""
        config = self._host.config
        if config.bounds.forbids_agent(OUTSIDE):
            raise NotAllowed(f"Agents outside are not allowed here. {DECIDED}")
        if config.bounds.needs_walls:
            raise NotAllowed(f"Agents outside have no sandbox, and one is required here. {DECIDED}")
        if config.tools is None:
            raise NotAllowed("The notebook tools are turned off on this server.")
        config.bounds.require_policy(command.policy)
        root = config.root.resolve()
        path = await asyncio.to_thread((root / command.notebook_path).resolve)
        is_there = path.is_relative_to(root) and await asyncio.to_thread(path.is_file)
        if path.suffix != ".ipynb" or not is_there:
            raise BadRequest(f"There is no notebook {command.notebook_path!r}. Save it first.")
        key, secret = self._keys.make(command.notebook_path, command.policy, sender(caller))
        self._host.secrets.put(f"outside {key.key_id}", [secret])
        return NewOutsideKey(entry=_entry(key), key=secret, variable=KEY_VARIABLE)

    @handles(ListOutsideKeys)
    async def list(
        self, command: ListOutsideKeys, caller: UserCaller
    ) -> tuple[OutsideKeyEntry, ...]:
        """List the valid keys."""
        return tuple(map(_entry, self._keys.all()))

    @handles(RevokeOutsideKey)
    async def revoke(self, command: RevokeOutsideKey, caller: UserCaller) -> dict[str, str]:
        """Revoke a key."""
        self._keys.revoke(command.key_id)
        return {}


def _entry(key: OutsideKey) -> OutsideKeyEntry:
    return OutsideKeyEntry(
        key_id=key.key_id,
        notebook_path=key.notebook_path,
        policy=key.policy,
        created_at=key.created_at,
        expires_at=key.expires_at,
        last_used_at=key.last_used_at,
        user=key.user,
    )


def handlers(context: HandlerContext) -> tuple[OutsideKeyCommands]:
    """Make the handlers, with the keys of the server's part if there is a server."""
    part = context.host.config.parts.get("outside")
    keys = OutsideKeys() if part is None else part.keys
    return (OutsideKeyCommands(context.host, keys),)
