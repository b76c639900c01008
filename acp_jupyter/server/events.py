"""The events of a session for the widgets of a kernel, one JSON line for each flush."""

from __future__ import annotations

import asyncio

from tornado.web import authenticated

from acp_jupyter.api.access import KernelCaller
from acp_jupyter.api.models.frames import EventsFrame
from acp_jupyter.api.subscription import Subscription
from acp_jupyter.errors import NotAllowed
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.server.following import FollowingHandler

_FLUSH_SECONDS = 0.1
"""Interval of flushes; traits need no more than ten a second."""


class EventsHandler(FollowingHandler):
    """Sends a session's events to a kernel, from a snapshot to the session's end.

    A kernel can't answer requests, so it doesn't count as a client that can be asked.
    """

    content_type = "application/x-ndjson"
    ping = b"\n"
    readers = "kernels"

    @authenticated
    async def get(self, session_id: str) -> None:
        """Send the session's events until it is closed."""
        caller, host = self.caller, self.backend.host
        if not isinstance(caller, KernelCaller):
            raise NotAllowed("Only kernels ask for this.")
        self.check_number()
        more, wake = self.event_and_wake()
        subscription = Subscription(session_id, wake)
        session = await self.backend.observe(session_id, caller, subscription)
        unwatch = host.sessions.on_change(wake)
        try:
            await self.follow(self._follow(session, subscription, more))
        finally:
            unwatch()
            host.unsubscribe(subscription)

    async def _follow(
        self, session: Session, subscription: Subscription, more: asyncio.Event
    ) -> None:
        host, session_id = self.backend.host, session.session_id
        while True:
            ended = host.sessions.get(session_id) is not session
            more.clear()
            if events := subscription.take():
                frame = EventsFrame(session_id=session_id, events=events)
                await self.send(frame.model_dump_json().encode() + b"\n")
            elif ended:
                return
            await asyncio.sleep(_FLUSH_SECONDS)
            if not ended:
                await self.wait(more)
