"""Logs imported as sessions: each is recognised and read in a thread of its own."""

from __future__ import annotations

import asyncio
import io
import shutil
import threading
import time
import uuid
from dataclasses import dataclass, field
from pathlib import PurePath

from acp_jupyter.api.access import Caller, KernelCaller
from acp_jupyter.api.models.command_row import handles
from acp_jupyter.api.models.traffic import (
    ImportLog,
    ImportProblem,
    ImportResult,
)
from acp_jupyter.dialects.import_dialects import DIALECT_WORDS, DIALECTS, Dialect
from acp_jupyter.dialects.import_log import LogFacts, LogSource, read_import, survey
from acp_jupyter.errors import BadRequest, DiskRefused, NothingToImport
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.session.build import IMPORTED, build_session
from acp_jupyter.host.session.session import Session
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.host.store.restore import end_imported_turns
from acp_jupyter.protocol.host_events.notes import SessionOpened
from acp_jupyter.protocol.log_json import LogProblem
from acp_jupyter.protocol.objects import text
from acp_jupyter.protocol.packets import Unknown

_NAME_CHARS = 200


class Imports:
    """Carries out ``import_log``."""

    def __init__(self, host: AgentHost) -> None:
        self._host = host

    @handles(ImportLog)
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
        request = ImportRequest(
            name=" ".join(command.file_name.split())[:_NAME_CHARS] or "log",
            lines=lambda: io.BytesIO(command.content),
            dialect=command.dialect,
            session=command.log_session,
            notebook_path=notebook,
            kernel_id=kernel_id,
        )
        report = await import_log(self._host, request)
        transcript = self._host.session(report.session_id).transcript
        return _result(report, tuple(transcript.turn_order))


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


_FLUSH_EVERY = 2_000
_TITLE_CHARS = 180
_SHOWN_PROBLEMS = 20
_KINDS = ", ".join(DIALECT_WORDS[dialect] for dialect in DIALECTS)


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """What is to be imported.

    Attributes
    ----------
    name
        Of the file, for people.
    lines
        The log, from its beginning at each call.
    dialect
        How to read it; None for as it looks.
    session
        Which of its sessions, by the protocol's id; empty for the one with most lines.
    notebook_path, kernel_id
        Whose session it becomes, where a kernel asks.
    """

    name: str
    lines: LogSource
    dialect: Dialect | None = None
    session: str = ""
    notebook_path: str = ""
    kernel_id: str = ""


@dataclass(slots=True)
class ImportReport:
    """What came of it. ``problems`` holds the first ones, ``problem_count`` counts all."""

    session_id: str
    facts: LogFacts
    entries: int = 0
    problems: list[LogProblem] = field(default_factory=list)
    problem_count: int = 0
    last_at: float = 0.0


async def import_log(host: AgentHost, request: ImportRequest) -> ImportReport:
    """Make a session of a log.

    Raises
    ------
    NothingToImport
        It is no log, or not one of the named kind.
    BadRequest
        Too many sessions are open.
    DiskRefused
        The disk is full, broken or does not answer.
    """
    host.open_sessions.make_room()
    facts = await asyncio.to_thread(survey, request.lines, request.dialect, request.session)
    if facts is None:
        raise NothingToImport(
            f"{request.name} is not a log that can be imported. These can be: {_KINDS}.",
            await asyncio.to_thread(_first_problems, request),
        )
    if request.session and facts.session != request.session:
        known = ", ".join(filter(None, (facts.session, *facts.others)))
        raise NothingToImport(f"{request.name} has no session {request.session}. It has: {known}.")
    session = _make(host, request, facts)
    reading = _Reading(session, request, facts, host.config.limits)
    try:
        report = await reading.run()
    except BaseException:
        await session.close()
        await asyncio.to_thread(shutil.rmtree, host.traffic_path(session.session_id).parent)
        raise
    end_imported_turns(session.journal, report.last_at, session.label)
    host.open_sessions.add(session)
    return report


def _make(host: AgentHost, request: ImportRequest, facts: LogFacts) -> Session:
    session_id = uuid.uuid4().hex
    title = f"Imported: {PurePath(request.name).name or 'log'}"[:_TITLE_CHARS]
    opening = SessionOpened(
        session_id=session_id,
        agent_id=IMPORTED,
        agent_name=facts.agent_name or "Imported log",
        cwd=facts.cwd,
        folder=facts.cwd,
        title=title,
        notebook_path=request.notebook_path,
    )
    limits = host.config.limits
    redactor = host.open_sessions.redactor(None)
    log = host.new_log(session_id, redactor)

    def changed() -> None:
        if session_id in host.sessions:  # else it is being read, in another thread
            host.open_sessions.announce_change()

    journal = Journal.begin(opening, log, limits, changed)
    services = host.open_sessions.services
    return build_session(
        services, None, journal, redactor, label=title, kernel_id=request.kernel_id
    )


class _Reading:
    """Reads a log into a session that nobody else knows yet, in a thread."""

    def __init__(
        self, session: Session, request: ImportRequest, facts: LogFacts, limits: Limits
    ) -> None:
        self._session = session
        self._request = request
        self._limits = limits
        self._report = ImportReport(session.session_id, facts, last_at=time.time())
        self._stop = threading.Event()

    async def run(self) -> ImportReport:
        """Read to the end; a caller who gives up stops the thread.

        Raises
        ------
        NothingToImport
            No line could be taken.
        DiskRefused
            The disk did not take all of them.
        """
        thread = asyncio.ensure_future(asyncio.to_thread(self._read))
        try:
            await asyncio.shield(thread)
        finally:
            self._stop.set()
            await asyncio.wait((thread,))
        if not self._report.entries:
            words = _mismatch(self._request, self._report.facts)
            raise NothingToImport(words, _listed(self._request, self._report))
        if not await self._session.journal.flushed():
            raise DiskRefused(self._session.journal.log.why or "it does not answer")
        return self._report

    def _read(self) -> None:
        report, journal = self._report, self._session.journal
        start = report.last_at
        found = read_import(self._request.lines(), report.facts, journal.sequence, start)
        for each in found:
            if self._stop.is_set():
                return
            if isinstance(each, LogProblem):
                self._problem(each.line, each.message)
                continue
            if report.entries >= self._limits.import_lines:
                self._problem(each.line, "The log is too long: what follows was left out.")
                break
            report.entries += 1
            report.last_at = each.entry.t
            for packet in journal.take(each.entry):
                if isinstance(packet, Unknown):
                    self._problem(each.line, _unknown(packet))
            if report.entries % _FLUSH_EVERY == 0:
                journal.flush()  # what waits to be written must not fill the memory
        if report.facts.others:
            self._problem(1, _other_sessions(report.facts))

    def _problem(self, line: int, message: str) -> None:
        self._report.problem_count += 1
        if len(self._report.problems) < self._limits.import_problems:
            self._report.problems.append(LogProblem(line, message))


def _unknown(packet: Unknown) -> str:
    raw = packet.raw if isinstance(packet.raw, dict) else {}
    name = text(raw.get("type")) or text(raw.get("sessionUpdate"))
    inner = raw.get("raw")
    if name == "unknown" and isinstance(inner, dict):
        name = text(inner.get("type"))
    what = f"a {name[:60]}" if name else "this"
    return f"This version can't read {what}. It is kept in the traffic, but not shown."


def _other_sessions(facts: LogFacts) -> str:
    ids = ", ".join(facts.others[:_SHOWN_PROBLEMS])
    return f"The log has more sessions. Only {facts.session} was imported; the others are {ids}."


def _mismatch(request: ImportRequest, facts: LogFacts) -> str:
    wanted = DIALECT_WORDS[facts.dialect]
    if facts.likely_dialect is None or facts.likely_dialect == facts.dialect:
        return f"Nothing in {request.name} could be imported as {wanted}."
    return f"{request.name} is a log of {DIALECT_WORDS[facts.likely_dialect]}, not of {wanted}."


def _first_problems(request: ImportRequest) -> str:
    as_packets = LogFacts("packets", None)
    report = ImportReport("", as_packets)
    for found in read_import(request.lines(), as_packets, iter(range(1)), 0.0):
        if not isinstance(found, LogProblem) or len(report.problems) >= _SHOWN_PROBLEMS:
            break
        report.problems.append(found)
    return _listed(request, report)


def _listed(request: ImportRequest, report: ImportReport) -> str:
    shown = report.problems[:_SHOWN_PROBLEMS]
    return "\n".join(f"{request.name}:{problem.line}: {problem.message}" for problem in shown)
