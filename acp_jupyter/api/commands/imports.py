"""Imports logs as sessions; each log is recognised and read in a thread of its own.

Each import is a task. Pages and the kernel that started it see its progress, and can cancel it.
"""

from __future__ import annotations

import asyncio
import io
import shutil
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Literal, TypeVar

from acp_jupyter.api.access import Caller, KernelCaller, notebook_of
from acp_jupyter.api.models.command_row import handles
from acp_jupyter.api.models.traffic import (
    IMPORT_BYTES,
    CancelImport,
    GetImport,
    ImportLog,
    ImportProblem,
    ImportProgress,
    ImportResult,
    ImportState,
    StartImport,
)
from acp_jupyter.dialects.import_dialects import DIALECT_WORDS, DIALECTS, Dialect
from acp_jupyter.dialects.import_log import LogFacts, LogSource, read_import, survey
from acp_jupyter.errors import BadRequest, DiskRefused, ImportCancelled, NothingToImport
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.sessions.session import IMPORTED, Session
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.host.store.restore import end_imported_turns
from acp_jupyter.protocol.host_events.notes import SessionOpened
from acp_jupyter.protocol.log_json import LogProblem
from acp_jupyter.protocol.objects import text
from acp_jupyter.protocol.packets import Unknown

_NAME_CHARS = 200
_KEPT = 20
"""How many ended imports are remembered, for clients that ask for the result."""

T = TypeVar("T")


@dataclass(slots=True)
class _Import:
    """An import that is running, or has ended recently."""

    import_id: str
    kernel_id: str
    """The kernel that started it; empty for a user."""
    progress: _Progress
    task: asyncio.Task[ImportReport]

    @property
    def shown(self) -> ImportProgress:
        """The progress, for clients."""
        progress = self.progress
        return ImportProgress(
            import_id=self.import_id,
            file_name=progress.name,
            stage=progress.stage,
            lines=progress.lines,
            bytes_read=progress.bytes_read,
            bytes_total=progress.bytes_total,
        )


class Imports:
    """Carries out ``import_log``, and imports that clients start now and poll later."""

    def __init__(self, host: AgentHost) -> None:
        self._host = host
        self._imports: dict[str, _Import] = {}
        """Running and recently ended imports, the oldest first."""

    @handles(ImportLog)
    async def import_log(self, command: ImportLog, caller: Caller) -> ImportResult:
        """Import a log as a session."""
        started = self._start(command, caller)
        try:
            return await self._finished(started)
        except asyncio.CancelledError:
            started.task.cancel()
            raise

    @handles(StartImport)
    async def start(self, command: StartImport, caller: Caller) -> ImportState:
        """Start importing a log as a session."""
        return ImportState(progress=self._start(command, caller).shown)

    @handles(GetImport)
    async def get(self, command: GetImport, caller: Caller) -> ImportState:
        """Return the progress of an import, or its result."""
        found = self._find(command.import_id, caller)
        if command.wait_seconds:
            await asyncio.wait((found.task,), timeout=command.wait_seconds)
        result = await self._finished(found) if found.task.done() else None
        return ImportState(progress=found.shown, result=result)

    @handles(CancelImport)
    async def cancel(self, command: CancelImport, caller: Caller) -> dict[str, str]:
        """Cancel an import, and wait until its session is removed."""
        task = self._find(command.import_id, caller).task
        task.cancel()
        await asyncio.wait((task,))
        return {}

    def running(self, caller: Caller) -> tuple[ImportProgress, ...]:
        """Return the imports that run now and that the caller may see."""
        return tuple(
            each.shown
            for each in self._imports.values()
            if not each.task.done() and _may_see(each, caller)
        )

    def _start(self, command: ImportLog | StartImport, caller: Caller) -> _Import:
        limits = self._host.config.limits
        if len(command.content) > IMPORT_BYTES:
            raise BadRequest(f"The log is larger than {IMPORT_BYTES // 2**20} MiB.")
        if sum(not each.task.done() for each in self._imports.values()) >= limits.imports:
            raise BadRequest(
                f"{limits.imports} logs are being imported. Wait for one of them, or cancel one."
            )
        notebook, kernel_id = notebook_of(caller, "")
        request = ImportRequest(
            name=" ".join(command.file_name.split())[:_NAME_CHARS] or "log",
            lines=lambda: io.BytesIO(command.content),
            dialect=command.dialect,
            session=command.log_session,
            notebook_path=notebook,
            kernel_id=kernel_id,
        )
        progress = _Progress(request.name, len(command.content))
        work = import_log(self._host, request, progress)
        import_id = uuid.uuid4().hex
        task = asyncio.create_task(work, name="acp-import")
        started = self._imports[import_id] = _Import(import_id, kernel_id, progress, task)
        task.add_done_callback(self._ended)
        return started

    def _ended(self, task: asyncio.Task[ImportReport]) -> None:
        if not task.cancelled():
            task.exception()  # clients that ask get it
        ended = [key for key, each in self._imports.items() if each.task.done()]
        for key in ended[:-_KEPT]:
            del self._imports[key]
        self._host.sessions.announce_change()

    def _find(self, import_id: str, caller: Caller) -> _Import:
        found = self._imports.get(import_id)
        if found is None or not _may_see(found, caller):
            raise BadRequest("This import is not known here. It may have ended long ago.")
        return found

    async def _finished(self, started: _Import) -> ImportResult:
        await asyncio.wait((started.task,))
        if started.task.cancelled():
            name = started.progress.name
            raise ImportCancelled(f"The import of {name} was cancelled, and nothing was saved.")
        report = started.task.result()
        session = self._host.sessions.get(report.session_id)
        turn_ids = () if session is None else tuple(session.transcript.turn_order)
        return _result(report, turn_ids)


def _may_see(one: _Import, caller: Caller) -> bool:
    return not isinstance(caller, KernelCaller) or one.kernel_id == caller.kernel_id


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


_TELL_SECONDS = 0.5
"""Interval of progress reports; shorter imports report none."""
_FLUSH_EVERY = 2_000
_TITLE_CHARS = 180
_SHOWN_PROBLEMS = 20
_KINDS = ", ".join(DIALECT_WORDS[dialect] for dialect in DIALECTS)


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """A log to import.

    Attributes
    ----------
    name
        The file's name, for messages.
    lines
        Returns the lines of the log, from its beginning at each call.
    dialect
        The log's dialect; None to recognise it.
    session
        The ACP id of the session to import; empty for the one with most lines.
    notebook_path, kernel_id
        The notebook and kernel that get the session, if a kernel asks.
    """

    name: str
    lines: LogSource
    dialect: Dialect | None = None
    session: str = ""
    notebook_path: str = ""
    kernel_id: str = ""


@dataclass(slots=True)
class ImportReport:
    """The result of an import; ``problems`` has the first ones, ``problem_count`` counts all."""

    session_id: str
    facts: LogFacts
    entries: int = 0
    problems: list[LogProblem] = field(default_factory=list)
    problem_count: int = 0
    last_at: float = 0.0


class _Stopped(Exception):
    """Stops reading the log."""


@dataclass(slots=True)
class _Progress:
    """The progress of an import: written by its thread, read by the loop."""

    name: str
    bytes_total: int = 0
    stage: Literal["survey", "read"] = "survey"
    lines: int = 0
    bytes_read: int = 0
    stop: threading.Event = field(default_factory=threading.Event)

    def counted(self, lines: LogSource) -> LogSource:
        """Wrap the lines to count them, and to stop reading when the import is cancelled."""

        def each() -> Iterator[bytes | str]:
            self.lines = self.bytes_read = 0
            for line in lines():
                if self.stop.is_set():
                    raise _Stopped
                self.lines += 1
                self.bytes_read += len(line)
                yield line

        return each


async def import_log(
    host: AgentHost, request: ImportRequest, progress: _Progress | None = None
) -> ImportReport:
    """Import a log as a session; if it is cancelled, remove the session."""
    host.sessions.make_room()
    progress = _Progress(request.name) if progress is None else progress
    request = replace(request, lines=progress.counted(request.lines))
    thread = _Thread(progress, host.sessions.announce_change)
    facts = await thread.run(lambda: survey(request.lines, request.dialect, request.session))
    if facts is None:
        raise NothingToImport(
            f"{request.name} is not a log that can be imported. These can be: {_KINDS}.",
            await thread.run(lambda: _first_problems(request)),
        )
    if request.session and facts.session != request.session:
        known = ", ".join(filter(None, (facts.session, *facts.others)))
        raise NothingToImport(f"{request.name} has no session {request.session}. It has: {known}.")
    session = _make(host, request, facts)
    reading = _Reading(session, request, facts, host.config.limits)
    progress.stage = "read"
    try:
        report = await reading.run(thread)
    except BaseException:
        await session.close()
        folder = host.traffic_path(session.session_id).parent
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        raise
    end_imported_turns(session.journal, report.last_at, session.label)
    host.sessions.add(session)
    return report


class _Thread:
    """Runs work in a thread, which has always ended when `run` returns."""

    def __init__(self, progress: _Progress, tell: Callable[[], None]) -> None:
        self._progress = progress
        self._tell = tell

    async def run(self, work: Callable[[], T]) -> T:
        """Run some work; cancelling the caller stops it."""
        thread = asyncio.ensure_future(asyncio.to_thread(work))
        try:
            while not (await asyncio.wait((thread,), timeout=_TELL_SECONDS))[0]:
                self._tell()
            return thread.result()
        finally:
            if not thread.done():
                self._progress.stop.set()
                await asyncio.wait((thread,))
                thread.exception()  # retrieve the exception of the stop


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
    redactor = host.sessions.redactor(None)
    log = host.new_log(session_id, redactor)

    def changed() -> None:
        if session_id in host.sessions:  # otherwise a thread is still reading the log
            host.sessions.announce_change()

    journal = Journal.begin(opening, log, limits, changed)
    services = host.sessions.services
    return Session(services, None, journal, redactor, label=title, kernel_id=request.kernel_id)


class _Reading:
    """Reads a log into a session that is not open yet, in a thread."""

    def __init__(
        self, session: Session, request: ImportRequest, facts: LogFacts, limits: Limits
    ) -> None:
        self._session = session
        self._request = request
        self._limits = limits
        self._report = ImportReport(session.session_id, facts, last_at=time.time())

    async def run(self, thread: _Thread) -> ImportReport:
        """Read the whole log."""
        await thread.run(self._read)
        if not self._report.entries:
            words = _mismatch(self._request, self._report.facts)
            raise NothingToImport(words, _listed(self._request, self._report))
        journal, written = self._session.journal, -1
        while not await journal.flushed():
            if journal.log.size == written:
                raise DiskRefused(journal.log.why or "it does not answer")
            written = journal.log.size  # a long log takes a slow machine a while
        return self._report

    def _read(self) -> None:
        report, journal = self._report, self._session.journal
        start = report.last_at
        found = read_import(self._request.lines(), report.facts, journal.sequence, start)
        for each in found:
            if isinstance(each, LogProblem):
                self._problem(each.line, each.message)
                continue
            if report.entries >= self._limits.import_lines:
                self._problem(each.line, "The log is too long: what follows was left out.")
                break
            report.entries += 1
            report.last_at = each.entry.t
            for packet in journal.enter_now(each.entry):
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
    return f"This version can't display {what}. It is only in the traffic log."


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
