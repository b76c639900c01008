"""Logs imported as sessions, and transcripts exported."""

from __future__ import annotations

import asyncio
import io
from collections import defaultdict
from pathlib import Path

from acp_jupyter.api.access import Caller, KernelCaller
from acp_jupyter.api.commands.log_import import ImportReport, ImportRequest, import_log
from acp_jupyter.api.models.traffic import (
    GetTranscript,
    ImportLog,
    ImportProblem,
    ImportResult,
    TranscriptPage,
)
from acp_jupyter.errors import BadRequest
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.session.session import Session
from acp_jupyter.transcript.model.items import Item
from acp_jupyter.transcript.model.state import Transcript
from acp_jupyter.transcript.output.bundle import readable_items
from acp_jupyter.transcript.output.html_export import export_html
from acp_jupyter.transcript.output.markdown import session_markdown
from acp_jupyter.transcript.redaction.redactor import Redactor
from acp_jupyter.transcript.redaction.scrubber import Scrubber

_NAME_CHARS = 200


class ImportExport:
    """Carries out ``import_log`` and ``get_transcript``."""

    def __init__(self, host: AgentHost) -> None:
        self._host = host

    async def import_log(self, command: ImportLog, caller: Caller) -> ImportResult:
        """Make a session of a log.

        Raises
        ------
        BadRequest
            It is too large, or nothing of it can be imported.
        """
        most = self._host.config.limits.import_bytes
        if len(command.content) > most:
            raise BadRequest(f"The log is larger than {most // 2**20} MiB.")
        notebook, kernel_id = "", ""
        if isinstance(caller, KernelCaller):
            notebook, kernel_id = caller.notebook_path, caller.kernel_id
        wish = ImportRequest(
            name=" ".join(command.file_name.split())[:_NAME_CHARS] or "log",
            lines=lambda: io.BytesIO(command.content),
            dialect=command.dialect,
            session=command.log_session,
            notebook_path=notebook,
            kernel_id=kernel_id,
        )
        report = await import_log(self._host, wish)
        transcript = self._host.session(report.session_id).transcript
        return _result(report, tuple(transcript.turn_order))

    async def transcript(
        self, session: Session, command: GetTranscript
    ) -> dict[str, str] | TranscriptPage:
        """Return a whole transcript; made in a thread, for it may be long.

        Raises
        ------
        MissingPackage
            HTML can't be made here.
        """
        state, redactor = session.transcript, session.redactor
        return await asyncio.to_thread(_transcript, state, redactor, command)


def _result(report: ImportReport, turn_ids: tuple[str, ...]) -> ImportResult:
    return ImportResult(
        session_id=report.session_id,
        dialect=report.facts.dialect,
        entries=report.entries,
        problems=tuple(ImportProblem(line=p.line, message=p.message) for p in report.problems),
        problem_count=report.problem_count,
        log_session=report.facts.session,
        other_sessions=report.facts.others,
        turn_ids=turn_ids,
    )


def _transcript(
    state: Transcript, redactor: Redactor, command: GetTranscript
) -> dict[str, str] | TranscriptPage:
    scrubber = Scrubber.of_session(state.session, redactor, str(Path.home()))
    turns = [state.turns[turn_id] for turn_id in state.turn_order]
    items = state.window(0, len(state.items))
    if command.format == "html":
        page = export_html(state.session, turns, items, scrubber, thoughts=command.thoughts)
        return {"html": page}
    told = tuple(scrubber.model(turn) for turn in turns)
    saved = tuple(scrubber.model(item) for item in items)
    if command.format == "json":
        return TranscriptPage(
            items=saved,
            first_index=0,
            total=len(saved),
            session=scrubber.model(state.session),
            turns=told,
        )
    of_turn: defaultdict[str, list[Item]] = defaultdict(list)
    for item in readable_items(saved, scrubber):
        of_turn[item.turn_id or ""].append(item)
    markdown = session_markdown(
        scrubber.model(state.session), told, of_turn, thoughts=command.thoughts
    )
    return {"markdown": scrubber.text(markdown)}
