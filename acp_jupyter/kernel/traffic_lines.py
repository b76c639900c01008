"""``%acp log``: the last lines of a session's traffic, to be read in the cell."""

from __future__ import annotations

import time
from collections.abc import Sequence

from IPython.core.error import UsageError

from acp_jupyter.api.models.traffic import GetTraffic, TrafficLine
from acp_jupyter.kernel.cell_parser import LineParser
from acp_jupyter.kernel.connection import host_client
from acp_jupyter.kernel.session_choice import choose_session, short
from acp_jupyter.kernel.tables import say
from acp_jupyter.protocol.paths import human_size
from acp_jupyter.transcript.safe_text.escaping import one_line

__all__ = ["run_log"]

_LINES = 20
_MOST_LINES = 500
_CHARS = 160
_SIDES = {">": "to agent", "<": "from agent", "!": "note"}


def run_log(rest: Sequence[str]) -> None:
    """Print the last lines.

    Raises
    ------
    UsageError
        The line can't be understood.
    AcpError
        There is no such session, or another kernel made it.
    """
    parser = LineParser("%acp log", see="Type: %acp log [SESSION] [--lines N] [--text WORDS]")
    parser.add_argument("session", nargs="?", default="")
    parser.add_argument("--lines", default=str(_LINES))
    parser.add_argument("--text", default="")
    given = parser.parse_args(rest)
    if not given.lines.isdecimal() or not 1 <= int(given.lines) <= _MOST_LINES:
        raise UsageError(f"--lines is a number from 1 to {_MOST_LINES}.")
    client = host_client()
    state = choose_session(client, given.session)
    command = GetTraffic(session_id=state.session_id, limit=int(given.lines), text=given.text[:200])
    page = client.traffic_lines(command)
    say("\n".join([*map(_line, page.lines), _footer(state.session_id, page.start, page.size)]))


def _line(line: TrafficLine) -> str:
    clock = time.strftime("%H:%M:%S", time.localtime(line.at))
    name = line.method if not line.update else line.update
    kind = line.kind if line.kind in {"response", "error"} else ""
    head = " ".join(filter(None, (clock, _SIDES[line.direction], kind, name)))
    return one_line(f"{head}  {line.preview}", _CHARS)


def _footer(session_id: str, start: int, size: int) -> str:
    rest = f", of which {human_size(start)} lie before these lines" if start else ""
    return (
        f"Session {short(session_id)}: {human_size(size)} of traffic{rest}. "
        "%acp export FILE.ndjson writes all of it."
    )
