"""What sessions used: one of them, and all of them today."""

from __future__ import annotations

from collections.abc import Sequence

from acp_jupyter.api.access import Caller, may_see_stored, visible_session
from acp_jupyter.api.models.command_row import handles
from acp_jupyter.api.models.sessions import GetUsage, UsageReply
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.sessions.day_use import this_day
from acp_jupyter.host.store.metadata import SessionMeta
from acp_jupyter.transcript.model.use import Use


class UsageCommands:
    """Carries out ``get_usage``. No log is read: each session's sum is with its state."""

    def __init__(self, host: AgentHost) -> None:
        self._host = host

    @handles(GetUsage)
    async def usage(self, command: GetUsage, caller: Caller) -> UsageReply:
        """Return the sums; that of today says nothing of a single session, so all may see it."""
        stored = await self._host.sessions.stored(again=False)
        day = this_day()
        today = Use()
        for meta in stored:
            today = today.plus(meta.use_on(day))
        for session in self._host.sessions.values():
            today = today.plus(session.day_use.on(day))
        of_session = None
        if command.session_id:
            of_session = self._of_session(command.session_id, stored, caller)
        return UsageReply(day=day, today=today, session=of_session)

    def _of_session(self, session_id: str, stored: Sequence[SessionMeta], caller: Caller) -> Use:
        for meta in stored:
            if meta.session_id == session_id and may_see_stored(meta, caller):
                return meta.facts.use
        return visible_session(self._host, session_id, caller).state.use
