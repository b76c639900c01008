"""Finds the sandbox wall that stopped a failed tool call, and what the user can do about it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Sequence

from acp_jupyter.host.bounds import Bounds
from acp_jupyter.host.requests.policy import CHANGES_NOTHING
from acp_jupyter.host.sandbox.hosts import Destination
from acp_jupyter.host.sandbox.refusals import (
    MetWall,
    environment_of,
    nested_met,
    network_met,
    wall_met,
)
from acp_jupyter.host.sandbox.sandboxes import Confined
from acp_jupyter.host.sessions.sandboxing import SessionSandbox
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.protocol.host_events.session import Wall, WallMet, WallOffer
from acp_jupyter.transcript.model.events import Event, ItemAdded, ItemReplaced
from acp_jupyter.transcript.model.item_base import index_of
from acp_jupyter.transcript.model.state import Transcript
from acp_jupyter.transcript.model.tool_items import ToolCall
from acp_jupyter.transcript.permission_evidence import contents_of
from acp_jupyter.transcript.secret_patterns import REDACTED

_KINDS = {"execute", "edit", "delete", "move", "read", "search", "fetch", "other"}
_MAX_DUE = 200
"""Most failed calls that wait for a check; further ones are skipped."""
_MAX_LOOKED = 500
_SETTLE_SECONDS = 2.0


class WallsMet:
    """Checks failed calls. A reader of the journal; used on the host's loop.

    Parameters
    ----------
    journal
        Of the session; gets a note for each call that a wall has stopped.
    """

    def __init__(self, journal: Journal, sandbox: SessionSandbox, bounds: Bounds) -> None:
        self._journal = journal
        self._sandbox = sandbox
        self._bounds = bounds
        self._due: dict[str, Confined] = {}
        self._looked: dict[str, int] = {}
        """Lengths of outputs that were checked, by item id."""
        self._task: asyncio.Task[None] | None = None

    def push(self, events: Iterable[Event]) -> None:
        """Take events, in the host's thread, without blocking."""
        confined = self._sandbox.confined
        if confined is None:
            return
        for event in events:
            if isinstance(event, ItemAdded | ItemReplaced) and isinstance(event.item, ToolCall):
                self._take(event.item, confined)

    def _take(self, call: ToolCall, confined: Confined) -> None:
        if not _has_failed(call) or call.wall is not None or len(self._due) >= _MAX_DUE:
            return
        output = self._journal.transcript.text_of(call.id)
        length = 0 if output is None else output.length
        if not length or self._looked.get(call.id) == length:
            return
        self._looked[call.id] = length
        if len(self._looked) > _MAX_LOOKED:
            del self._looked[next(iter(self._looked))]
        self._due[call.id] = confined
        if self._task is None or self._task.done():
            name = f"acp-walls-{self._journal.session_id}"
            self._task = asyncio.create_task(self._look(), name=name)

    async def settled(self) -> None:
        """Wait, up to a limit, until all failed calls are checked."""
        if self._task is not None:
            await asyncio.wait((self._task,), timeout=_SETTLE_SECONDS)

    async def close(self) -> None:
        """Stop checking."""
        self._due.clear()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _look(self) -> None:
        while self._due:
            item_id = next(iter(self._due))
            confined = self._due.pop(item_id)
            note = await asyncio.to_thread(
                self._note, self._journal.transcript, item_id, confined, confined.refused_hosts
            )
            if note is not None:
                self._journal.note(note)

    def _note(
        self,
        transcript: Transcript,
        item_id: str,
        confined: Confined,
        refused: Sequence[Destination],
    ) -> WallMet | None:
        call = transcript.item(index_of(item_id))
        if not isinstance(call, ToolCall) or call.turn_id is None:
            return None
        folder = folder_of(call, transcript)
        met = wall_met(call.output, folder, confined.walls, confined.level.level)
        met = met or network_met(call.output, call.command, confined.walls, refused)
        met = met or nested_met(call.output, confined.walls)
        if met is None:
            return None
        offers, environment = self._offer(call, transcript, met, confined)
        return WallMet(
            turn_id=call.turn_id,
            tool_call_id=call.tool_call_id,
            wall=Wall(path=met.path, words=met.words, offers=offers, environment=environment),
        )

    def _offer(
        self, call: ToolCall, transcript: Transcript, met: MetWall, confined: Confined
    ) -> tuple[WallOffer, str]:
        assert call.turn_id is not None
        policy = transcript.turns[call.turn_id].policy
        forbidden = "off" not in self._bounds.sandboxes or policy in CHANGES_NOTHING
        # In a copy the agent may have written what such a command would run: hooks of git.
        forbidden = forbidden or confined.walls.sandbox == "copy"
        if forbidden or not is_one_command(call, transcript):
            return "", ""
        environment = environment_of(met.path, confined.walls)
        return ("environment", environment) if environment else ("outside", "")


def _has_failed(call: ToolCall) -> bool:
    if call.is_open or call.tool_kind not in _KINDS:
        return False
    if call.terminal is not None and (call.terminal.running or call.terminal.by_user):
        return False
    # Some agents report every command as completed, without an exit code.
    unknown = call.tool_kind == "execute" and call.exit_code is None
    return call.status == "failed" or call.exit_code not in {None, 0} or unknown


def is_one_command(call: ToolCall, transcript: Transcript) -> bool:
    """Return whether a call's whole command is known, and ran in the session's folder."""
    if call.tool_kind != "execute" or not call.command.strip() or "\0" in call.command:
        return False
    facts = transcript.calls.get(call.tool_call_id)
    if facts is not None and facts.is_cut:
        return False
    inside = os.path.normpath(folder_of(call, transcript))
    root = os.path.normpath(transcript.session.cwd)
    return REDACTED not in call.command and f"{inside}/".startswith(f"{root.rstrip('/')}/")


def folder_of(call: ToolCall, transcript: Transcript) -> str:
    """Return the absolute folder that a call's command ran in; by default the session's."""
    cwd = transcript.session.cwd
    own = "" if call.terminal is None else call.terminal.cwd
    return os.path.join(cwd, own or contents_of(call, cwd).folder)
