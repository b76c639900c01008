"""``%acp import``: a log from a file, as a session to look at."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from IPython.core.error import UsageError
from IPython.display import display

from acp_jupyter.api.models.traffic import ImportLog
from acp_jupyter.dialects.imports.kinds import DIALECT_WORDS, DIALECTS
from acp_jupyter.errors import BadRequest, FileMissing
from acp_jupyter.host.limits import Limits
from acp_jupyter.kernel.cell_parser import LineParser
from acp_jupyter.kernel.connection import host_client
from acp_jupyter.kernel.turn import Turn

if TYPE_CHECKING:
    from acp_jupyter.api.models.traffic import ImportResult

__all__ = ["run_import"]

_SHOWN_PROBLEMS = 20


def _parser() -> LineParser:
    parser = LineParser("%acp import", see="Type: %acp import PATH")
    parser.add_argument("path")
    parser.add_argument("--as", dest="dialect")
    parser.add_argument("--name", default="")
    parser.add_argument("--session", default="")
    return parser


def run_import(rest: Sequence[str]) -> None:
    """Import a log, say what came of it and show its last turn.

    Raises
    ------
    UsageError
        The line can't be understood.
    AcpError
        The file can't be read, or is no log.
    """
    given = _parser().parse_args(rest)
    dialect = next((each for each in DIALECTS if each == given.dialect), None)
    if given.dialect is not None and dialect is None:
        raise UsageError(
            f"There is no kind of log called {given.dialect!r}. "
            f"Type --as and one of: {', '.join(DIALECTS)}."
        )
    path = Path(given.path).expanduser()
    client = host_client()
    command = ImportLog(
        content=_read(path),
        file_name=given.name or path.name,
        dialect=dialect,
        log_session=given.session,
    )
    result = client.import_log(command)
    print("\n".join(_words(given.path, result)))  # noqa: T201 - for the cell
    if result.turn_ids:
        turn = Turn(client, client.turn(result.turn_ids[-1]))
        display(turn, display_id=turn.id)  # type: ignore[no-untyped-call]


def _read(path: Path) -> bytes:
    most = Limits().import_bytes
    try:
        if path.is_file() and path.stat().st_size > most:
            raise BadRequest(f"{path} is larger than {most // 2**20} MiB.")
        if not path.is_file():
            raise FileMissing(f"There is no file {path}.")
        return path.read_bytes()
    except OSError as error:
        raise BadRequest(f"{path} can't be read: {error.strerror or error}.") from error


def _words(path: str, result: ImportResult) -> list[str]:
    turns = len(result.turn_ids)
    lines = [
        f"Imported as session {result.session_id[:8]}: {DIALECT_WORDS[result.dialect]}, "
        f"{turns} turn{'s' * (turns != 1)}, {result.entries} lines."
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
