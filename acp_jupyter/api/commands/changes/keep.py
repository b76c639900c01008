"""Keeping the changes of a turn that has worked in a copy of the folder."""

from __future__ import annotations

from acp_jupyter.api.access import Caller, may_see
from acp_jupyter.api.commands.changes.changes import ChangeCommands
from acp_jupyter.api.models.command_row import handles
from acp_jupyter.api.models.turns import KeepVariant, RevertReply, RevertTurn
from acp_jupyter.errors import BadRequest, UnknownTurn
from acp_jupyter.host.host import AgentHost
from acp_jupyter.protocol.host_events.notes import HostNotice

_MAX_NAMED = 20


class KeepCommands:
    """Applies the changes of a copy to the folder. Lives on the host's loop."""

    def __init__(self, host: AgentHost, changes: ChangeCommands) -> None:
        self._host = host
        self._changes = changes

    @handles(KeepVariant)
    async def keep(self, command: KeepVariant, caller: Caller) -> RevertReply:
        """Apply the changes of a copy to the folder, or remove them again."""
        turn_id = command.turn_id
        session = self._host.sessions.of_turn(turn_id)
        if not may_see(session, caller):
            raise UnknownTurn("This turn does not belong to this notebook.")
        turn = session.transcript.turns[turn_id]
        if not turn.to_be_kept:
            raise BadRequest("This turn has worked in the folder itself: there is nothing to keep.")
        await session.turn_files.settled(turn_id)
        turn = session.transcript.turns[turn_id]
        if turn.status == "done" and turn.changes is None and not turn.changes_unknown:
            what = "This variant" if turn.variant else "This turn"
            raise BadRequest(f"{what} has changed no file.")
        reverting = RevertTurn(
            turn_id=turn_id, paths=command.paths, hunks=command.hunks, undo=not command.undo
        )
        reply = await self._changes.revert(reverting, caller)
        left_out = [f"{path} {why}" for path, why in reply.refused.items()]
        if left_out:
            named = ", ".join(left_out[:_MAX_NAMED])
            more = f" and {len(left_out) - _MAX_NAMED} more" * (len(left_out) > _MAX_NAMED)
            session.journal.note(HostNotice(severity="warning", text=f"Not kept: {named}{more}."))
        return reply
