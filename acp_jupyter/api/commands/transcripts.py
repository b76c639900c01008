"""Transcripts for export: of a session or a turn, as JSON, Markdown, HTML, or a page to share."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from pathlib import Path
from typing import Any

from acp_jupyter.api.access import Caller, visible_session
from acp_jupyter.api.models.command_row import handles
from acp_jupyter.api.models.traffic import GetTranscript, TranscriptPage
from acp_jupyter.errors import BadRequest, UnknownTurn
from acp_jupyter.features import registered
from acp_jupyter.host.host import AgentHost
from acp_jupyter.transcript.model.items import Item
from acp_jupyter.transcript.model.session_state import STEERED, TurnState
from acp_jupyter.transcript.model.state import Transcript
from acp_jupyter.transcript.output.bundle import readable_items
from acp_jupyter.transcript.output.markdown import session_markdown
from acp_jupyter.transcript.redactor import Redactor, Scrubber


class Transcripts:
    """Carries out ``get_transcript``."""

    def __init__(self, host: AgentHost) -> None:
        self._host = host

    @handles(GetTranscript)
    async def transcript(
        self, command: GetTranscript, caller: Caller
    ) -> dict[str, str] | TranscriptPage:
        """Return a whole transcript; made in a thread, since it may be long."""
        session = visible_session(self._host, command.session_id, caller)
        state, redactor = session.transcript, session.redactor
        return await asyncio.to_thread(_transcript, state, redactor, command)


def _transcript(
    state: Transcript, redactor: Redactor, command: GetTranscript
) -> dict[str, str] | TranscriptPage:
    scrubber = Scrubber.of_session(state.session, redactor, str(Path.home()))
    turns = [state.turns[turn_id] for turn_id in state.turn_order]
    if command.turn_id:
        turns = [_named_turn(turns, command.turn_id)]
        items = state.turn_items(turns[0].turn_id)
    else:
        items = state.window(0, len(state.items))
    thoughts = command.thoughts
    if command.format == "html":
        from acp_jupyter.transcript.output.html import html_page

        return {"html": html_page(state.session, turns, items, scrubber, thoughts=thoughts)}
    if command.format == "shared":
        write = _of_features().get(command.format)
        if write is None:
            raise BadRequest("Nothing can be shared here.")
        return {command.format: write(state.session, turns, items, scrubber, thoughts=thoughts)}
    scrubbed = tuple(scrubber.model(turn) for turn in turns)
    saved = tuple(scrubber.model(item) for item in items)
    if command.format == "json":
        return TranscriptPage(
            items=saved,
            first_index=0,
            total=len(saved),
            session=scrubber.model(state.session),
            turns=scrubbed,
        )
    of_turn: defaultdict[str, list[Item]] = defaultdict(list)
    for item in readable_items(saved, scrubber):
        of_turn[item.turn_id or ""].append(item)
    markdown = session_markdown(scrubber.model(state.session), scrubbed, of_turn, thoughts=thoughts)
    return {"markdown": scrubber.text(markdown)}


def _of_features() -> dict[str, Any]:
    formats: dict[str, Any] = {}
    for of_feature in registered("transcripts").values():
        formats |= of_feature
    return formats


def _named_turn(turns: list[TurnState], named: str) -> TurnState:
    for turn in reversed(turns):
        was_sent = turn.status != "queued" and turn.stop_reason != STEERED
        if turn.turn_id == named or (named == "last" and was_sent):
            return turn
    raise UnknownTurn("This session has no such turn.")
