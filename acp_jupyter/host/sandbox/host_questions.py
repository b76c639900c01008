"""Asks the user about hosts that a sandbox does not name, as permission requests of the host."""

from __future__ import annotations

import asyncio
import math
import secrets

from acp_jupyter.host.requests.answers import PermissionWithdrawn
from acp_jupyter.host.requests.host_permissions import (
    ALLOW,
    HOST_OPTIONS,
    as_sent,
    host_call,
    request_for_host,
)
from acp_jupyter.host.requests.permissions import PermissionRequests
from acp_jupyter.host.requests.policy import CHANGES_NOTHING
from acp_jupyter.host.sandbox.hosts import Destination
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.protocol.host_events.notes import ImportedPacket
from acp_jupyter.protocol.objects import Obj

_MAX_HOSTS = 50
"""That are asked about in one turn."""
_REASON = "The sandbox names other hosts. An answer is for all of this host, until the turn ends."


class HostQuestions:
    """Decides which hosts an agent reaches that are not named. Used on the host's loop only.

    A host is asked about once in a turn. A rule of the user may answer; a policy can only refuse:
    where it would allow, the network that was chosen is stricter.
    """

    def __init__(self, journal: Journal, permissions: PermissionRequests) -> None:
        self._journal = journal
        self._permissions = permissions
        self._turn_id = ""
        self._answers: dict[Destination, asyncio.Task[str]] = {}
        """Those of this turn: why a host may not be reached."""

    async def ask(self, wanted: Destination) -> str:
        """Return why a host may not be reached, in a sentence; empty where it may."""
        turn_id = self._journal.transcript.session.active_turn_id or ""
        if turn_id != self._turn_id:
            self._turn_id, self._answers = turn_id, {}
        answer = self._answers.get(wanted)
        if answer is None:
            if len(self._answers) >= _MAX_HOSTS:
                return "In this turn too many hosts were asked about already."
            answer = asyncio.create_task(
                self._answer(turn_id, wanted), name=f"acp-host-{self._journal.session_id}"
            )
            self._answers[wanted] = answer
        # Others may wait for the same answer.
        return await asyncio.shield(answer)

    async def _answer(self, turn_id: str, wanted: Destination) -> str:
        call = host_call("fetch", title=f"Connect to {wanted.words}", raw_input={"url": wanted.url})
        self._permissions.at_walls.add(call.tool_call_id)
        try:
            decision = await self._permissions.decide(call, HOST_OPTIONS)
            if decision is not None and decision.option_id == ALLOW:
                return ""
            if not turn_id:
                return f"{wanted.words} is not named, and can only be asked about during a turn."
            asked = asyncio.create_task(
                request_for_host(
                    self._journal,
                    self._permissions,
                    f"n{secrets.token_hex(8)}",
                    as_sent(call),
                    words=f"connect to {wanted.words}",
                    reason=_REASON,
                )
            )
            option = await self._until_end(turn_id, asked)
        finally:
            self._permissions.at_walls.discard(call.tool_call_id)
        status = "completed" if option == ALLOW else "failed"
        told: Obj = {"toolCallId": call.tool_call_id, "status": status}
        self._journal.note(ImportedPacket(packet={"type": "tool_call_update", **told}))
        if option == ALLOW:
            return ""
        policy = self._permissions.requests.policy()
        if policy in CHANGES_NOTHING:
            return f"{wanted.words} is not named, and the policy {policy} opens no other host."
        if option is None:
            return f"{wanted.words} is not named, and the question was not answered."
        return f"{wanted.words} was refused. Do without it, or ask the user."

    async def _until_end(self, turn_id: str, asked: asyncio.Task[str | None]) -> str | None:
        """Wait for an answer until the turn ends; then there is none."""
        ended = asyncio.create_task(self._journal.wait_turn(turn_id, math.inf))
        try:
            await asyncio.wait((asked, ended), return_when=asyncio.FIRST_COMPLETED)
            if not asked.done():
                return None
            return asked.result()
        except PermissionWithdrawn:
            return None
        finally:
            for task in (asked, ended):
                task.cancel()
            await asyncio.gather(asked, ended, return_exceptions=True)
