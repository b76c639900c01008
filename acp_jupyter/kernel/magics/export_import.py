"""``%acp export`` and ``%acp import``: write sessions to files, and read logs."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, assert_never

from IPython.core.error import UsageError
from IPython.display import display
from pydantic_core import to_json

from acp_jupyter.api.cell_options import LineParser
from acp_jupyter.api.models.traffic import IMPORT_BYTES, StartImport
from acp_jupyter.api.packet_stream import PacketStream, StreamDialect
from acp_jupyter.dialects.import_dialects import DIALECT_WORDS, DIALECTS
from acp_jupyter.errors import (
    BadRequest,
    FileMissing,
    ImportCancelled,
    UnknownSession,
    plain_reason,
)
from acp_jupyter.kernel.atomic_write import atomic_write
from acp_jupyter.kernel.client.host_client import HostClient
from acp_jupyter.kernel.client.server_client import host_client
from acp_jupyter.kernel.execution_context import execution_context
from acp_jupyter.kernel.magics.help import FORMATS, Format
from acp_jupyter.kernel.turn.turn import Turn
from acp_jupyter.protocol.files import human_size
from acp_jupyter.protocol.formatting import quantity
from acp_jupyter.protocol.log import read_log
from acp_jupyter.protocol.log_json import LogProblem
from acp_jupyter.system.printing import echo
from acp_jupyter.transcript.model.session_state import SessionState

if TYPE_CHECKING:
    from acp_jupyter.api.models.traffic import ImportProgress, ImportResult


_SUFFIXES: dict[str, Format] = {
    ".ndjson": "traffic",
    ".jsonl": "traffic",
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".json": "json",
}


def run_export(rest: Sequence[str]) -> None:
    """Write a session to a file."""
    parser = LineParser("%acp export", see="Type: %acp export PATH")
    parser.add_argument("path")
    parser.add_argument("--format")
    parser.add_argument("--session", default="")
    parser.add_argument("--thoughts", action="store_true")
    parser.add_argument("--force", action="store_true")
    given = parser.parse_args(rest)
    path = Path(given.path).expanduser()
    file_format = _format(path, given.format)
    client = host_client()
    session = named_session(client.sessions(), given.session)
    pieces = _pieces(client, session.session_id, file_format, thoughts=given.thoughts)
    size = atomic_write(path, pieces, force=given.force)
    title = f" ({session.title})" if session.title else ""
    echo(
        f"Exported session {session.session_id[:8]}{title} to {given.path}: "
        f"{file_format}, {human_size(size)}."
    )


def _format(path: Path, named: str | None) -> Format:
    wanted = _SUFFIXES.get(path.suffix.lower()) if named is None else named
    wanted = "build-mode" if wanted == "packets-build" else wanted
    found = next((each for each in FORMATS if each == wanted), None)
    if found is None:
        what = f"There is no format {named!r}" if named else f"{path.name!r} gives no format"
        raise UsageError(f"{what}. Type --format and one of: {', '.join(FORMATS)}.")
    return found


def named_session(sessions: Iterable[SessionState], named: str) -> SessionState:
    """Return the session of that id, or its beginning, or title; else the one that changed last."""
    by_time = sorted(sessions, key=lambda state: state.updated_at or 0, reverse=True)
    if not by_time:
        raise UnknownSession("There is no session yet. A cell that begins with %%acp starts one.")
    if not named:
        return by_time[0]
    found = [s for s in by_time if s.session_id.startswith(named) or s.title == named]
    if len(found) != 1:
        what = "several sessions" if found else "no session"
        raise UnknownSession(f"There is {what} {named!r}. %acp sessions lists them.")
    return found[0]


def _pieces(
    client: HostClient, session_id: str, file_format: Format, *, thoughts: bool
) -> Iterator[bytes]:
    match file_format:
        case "traffic":
            yield from client.traffic(session_id)
        case "packets" | "build-mode":
            yield from _packets(client.traffic(session_id), session_id, file_format)
        case "markdown" | "html":
            transcript = client.transcript(session_id, file_format, thoughts=thoughts)
            yield str(transcript[file_format]).encode()
        case "json":
            yield to_json(client.transcript(session_id, "json"), indent=1)
            yield b"\n"
        case _:
            assert_never(file_format)


def _packets(chunks: Iterable[bytes], session_id: str, dialect: StreamDialect) -> Iterator[bytes]:
    stream = PacketStream(session_id, dialect)
    for entry in read_log(_lines(chunks)):
        if isinstance(entry, LogProblem):
            continue  # of our own log: a torn last line
        for packet in stream.read(entry):
            yield packet.data + b"\n"


def _lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    rest: list[bytes] = []
    for chunk in chunks:
        *ended, last = chunk.split(b"\n")
        for line in ended:
            yield b"".join([*rest, line])
            rest = []
        rest.append(last)
    yield b"".join(rest)


_SHOWN_PROBLEMS = 20
_LOOK_SECONDS = 0.5


def _parser() -> LineParser:
    parser = LineParser("%acp import", see="Type: %acp import PATH")
    parser.add_argument("path")
    parser.add_argument("--as", dest="dialect")
    parser.add_argument("--name", default="")
    parser.add_argument("--session", default="")
    return parser


def run_import(rest: Sequence[str]) -> None:
    """Import a log, print the result and show its last turn."""
    given = _parser().parse_args(rest)
    dialect = next((each for each in DIALECTS if each == given.dialect), None)
    if given.dialect is not None and dialect is None:
        raise UsageError(
            f"There is no kind of log called {given.dialect!r}. "
            f"Type --as and one of: {', '.join(DIALECTS)}."
        )
    path = Path(given.path).expanduser()
    client = host_client()
    command = StartImport(
        content=_read(path),
        file_name=given.name or path.name,
        dialect=dialect,
        log_session=given.session,
    )
    result = _imported(client, client.start_import(command).progress.import_id)
    echo("\n".join(_words(given.path, result)))
    if result.turn_ids:
        turn = Turn(client, client.turn(result.turn_ids[-1]))
        display(turn, display_id=turn.id)  # type: ignore[no-untyped-call]


def _imported(client: HostClient, import_id: str) -> ImportResult:
    """Wait for the end of an import and show how far it is; an interrupt cancels it."""
    shown = _Progress()
    try:
        while (state := client.import_state(import_id, _LOOK_SECONDS)).result is None:
            shown.show(state.progress)
    except KeyboardInterrupt:
        client.cancel_import(import_id)
        shown.close("Cancelled. Nothing of the log is kept.")
        raise
    except ImportCancelled:
        shown.close("Cancelled.")
        raise
    except BaseException:
        shown.close("")
        raise
    shown.close(f"Read {state.progress.lines:,} lines.")
    return state.result


class _Progress:
    """Shows the progress of an import in an updated output; in a script, one line at the start."""

    def __init__(self) -> None:
        self._handle: Any = None
        self._begun = False

    def show(self, progress: ImportProgress) -> None:
        """Show it."""
        words = _progress_words(progress)
        if not self._begun:
            self._begun = True
            if execution_context().frontend in {"terminal", "script"}:
                size = human_size(progress.bytes_total)
                echo(f"Importing {progress.file_name} ({size}). Ctrl-C cancels.")
                return
            self._handle = display({"text/plain": ""}, raw=True, display_id=True)  # type: ignore[no-untyped-call]
        bar = (
            f'<progress max="{progress.bytes_total}" value="{progress.bytes_read}" '
            f'aria-label="Import"></progress>'
        )
        page = f"<p>{bar} {html.escape(words)}</p>"
        self._update({"text/plain": words, "text/html": page})

    def close(self, words: str) -> None:
        """Leave these words there, if anything was shown."""
        self._update({"text/plain": words, "text/html": f"<p>{html.escape(words)}</p>"})

    def _update(self, data: dict[str, str]) -> None:
        with suppress(AttributeError):  # nothing is shown, or no display here takes changes
            self._handle.update(data, raw=True)


def _progress_words(progress: ImportProgress) -> str:
    doing = {"survey": "Looking through", "read": "Importing"}[progress.stage]
    return (
        f"{doing} {progress.file_name}: {progress.lines:,} lines, "
        f"{human_size(progress.bytes_read)} of {human_size(progress.bytes_total)}. "
        "Interrupt the kernel to cancel."
    )


def _read(path: Path) -> bytes:
    most = IMPORT_BYTES
    try:
        if path.is_file() and path.stat().st_size > most:
            raise BadRequest(f"{path} is larger than {most // 2**20} MiB.")
        if not path.is_file():
            raise FileMissing(f"There is no file {path}.")
        return path.read_bytes()
    except OSError as error:
        raise BadRequest(f"{path} can't be read: {plain_reason(error)}.") from error


def _words(path: str, result: ImportResult) -> list[str]:
    turns = len(result.turn_ids)
    lines = [
        f"Imported as session {result.session_id[:8]}: {DIALECT_WORDS[result.dialect]}, "
        f"{quantity(turns, 'turn')}, {result.entries} lines."
    ]
    if result.other_sessions:
        lines.append(
            "The log has more sessions. Add --session and one of: "
            f"{', '.join(result.other_sessions[:_SHOWN_PROBLEMS])}."
        )
    shown = result.problems[:_SHOWN_PROBLEMS]
    lines += [f"{path}:{problem.line}: {problem.message}" for problem in shown]
    more = result.problem_count - len(shown)
    if more > 0:
        lines.append(f"… and {more} more problems.")
    if turns > 1:
        lines.append("The last turn is shown; the panel has all of them.")
    return lines
