"""The card of a call by an agent outside: the host shows it, as no agent reports it."""

from __future__ import annotations

from acp_jupyter.host.sessions.session import Session
from acp_jupyter.notebook_tools.outputs import Reply
from acp_jupyter.notebook_tools.tool_permissions import CallCard, ToolPermissions, new_id
from acp_jupyter.notebook_tools.tools import AnyTool
from acp_jupyter.protocol.objects import Obj


class OutsideCallCard:
    """Shows one call of an agent outside, with its permission request if it makes one."""

    def __init__(self, session: Session, row: type[AnyTool], arguments: Obj, location: str) -> None:
        self.permissions = ToolPermissions(session, new_id())
        self._card = CallCard(self.permissions.write, self.permissions.own_id, own=True)
        self._call: Obj = {
            "title": row.title,
            "kind": "other" if row.changes else "read",
            "rawInput": arguments,
            "locations": [{"path": location}],
        }
        self._is_read = not row.changes
        if self._is_read:
            self._card.begun(self._call)

    def done(self, reply: Reply) -> None:
        """Show the result, unless a request for permission has shown it already."""
        if self.permissions.requested and not reply.failed:
            return
        if not self.permissions.requested and not self._is_read:
            self._card.begun(self._call)  # refused before a request could show it
        self._card.done(failed=reply.failed, text=reply.text)

    def given_up(self) -> None:
        """Show that the call has ended without a result."""
        if self._is_read:
            self._card.done(failed=True)
