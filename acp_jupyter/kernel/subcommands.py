"""What ``%acp`` does."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Callable, Sequence

from IPython.core.error import UsageError
from IPython.display import display

from acp_jupyter._version import __version__
from acp_jupyter.errors import UnknownAgent
from acp_jupyter.kernel.connection import host_client
from acp_jupyter.kernel.defaults import defaults
from acp_jupyter.kernel.exporting import run_export
from acp_jupyter.kernel.importing import run_import
from acp_jupyter.kernel.options import cell_help
from acp_jupyter.kernel.recording import is_replaying, run_recording
from acp_jupyter.kernel.subcommand_names import SUBCOMMANDS
from acp_jupyter.transcript.markdown import inert, one_line

__all__ = ["run_subcommand"]

_NAMES = tuple(words.split()[0] for words in SUBCOMMANDS)


def run_subcommand(line: str) -> None:
    """Run ``%acp LINE``.

    Raises
    ------
    UsageError
        There is no such subcommand, or it was used wrongly.
    """
    try:
        name, *rest = shlex.split(line) or ["help"]
    except ValueError as error:
        raise UsageError(f"A quotation mark is not closed ({error}).") from None
    name = {"-h": "help", "--help": "help"}.get(name, name)
    if name == "use":
        _use(rest)
        return
    if name in {"record", "replay"}:
        _say(run_recording("record" if name == "record" else "replay", rest, host_client()))
        return
    if name == "import":
        run_import(rest)
        return
    if name == "export":
        run_export(rest)
        return
    run = _WITHOUT_ARGUMENTS.get(name)
    if run is None:
        raise UsageError(_unknown(name))
    if rest:
        raise UsageError(f"%acp {name} takes nothing after it. Type: %acp {name}")
    run()


def _unknown(name: str) -> str:
    close = difflib.get_close_matches(name, _NAMES, 1)
    hint = f"Type %acp {close[0]}." if close else f"Type %acp and one of: {', '.join(_NAMES)}."
    return f"There is no %acp {name}. {hint} A cell with a prompt begins with %%acp."


def _agents() -> None:
    rows = []
    for agent in host_client().agents():
        chosen = "chosen" if agent.id == defaults.agent else ""
        rows.append((agent.id, agent.name, agent.status.replace("_", " "), agent.detail or chosen))
    _table(("Agent", "Name", "Status", ""), rows)


def _use(rest: Sequence[str]) -> None:
    if len(rest) != 1:
        raise UsageError("Name one agent: %acp use AGENT. %acp agents lists them.")
    known = [agent.id for agent in host_client().agents()]
    if rest[0] not in known and not is_replaying():
        raise UnknownAgent(f"There is no agent {rest[0]!r}. There are: {', '.join(known)}.")
    defaults.agent = rest[0]
    _say(f"%%acp cells that name no agent now use {rest[0]}.")


def _sessions() -> None:
    sessions = host_client().sessions()
    if not sessions:
        _say("There is no session yet. A cell that begins with %%acp starts one.")
        return
    rows = [
        (state.session_id[:8], state.title, state.agent, state.status.replace("_", " "))
        for state in sessions
    ]
    _table(("Session", "Title", "Agent", "Status"), rows)


def _cancel() -> None:
    client = host_client()
    stopped = 0
    for state in client.sessions():
        turns = [turn.turn_id for turn in state.queue]
        turns += [state.active_turn_id] if state.active_turn_id else []
        for turn_id in turns:
            client.cancel(state.session_id, turn_id)
            stopped += 1
    _say(f"Stopped {stopped} turn{'s' * (stopped != 1)}." if stopped else "Nothing is running.")


def _status() -> None:
    client = host_client()
    sessions = client.sessions()
    running = sum(state.active_turn_id is not None for state in sessions)
    place = "the Jupyter server" if client.place == "server" else "this kernel"
    _table(
        ("", ""),
        [
            ("Version", __version__),
            ("Agents run in", place),
            ("Chosen agent", defaults.agent),
            ("Sessions", f"{len(sessions)}, running: {running}"),
        ],
    )


def _help() -> None:
    width = max(map(len, SUBCOMMANDS))
    lines = [f"  %acp {name:{width}}  {words}" for name, words in SUBCOMMANDS.items()]
    print("\n".join([cell_help(), "Line magics:", *lines]))  # noqa: T201 - for the cell


_WITHOUT_ARGUMENTS: dict[str, Callable[[], None]] = {
    "agents": _agents,
    "sessions": _sessions,
    "cancel": _cancel,
    "status": _status,
    "help": _help,
}


def _say(words: str) -> None:
    print(words)  # noqa: T201 - for the cell


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Show rows as Markdown, and as aligned text where that is not rendered."""
    marked = [titles, ["---"] * len(titles), *rows]
    markdown = [
        "| " + " | ".join(cell if cell == "---" else inert(cell) for cell in row) + " |"
        for row in marked
    ]
    flat = [[one_line(cell) for cell in row] for row in (titles, *rows) if any(row)]
    widths = [max(map(len, column)) for column in zip(*flat, strict=True)]
    plain = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in flat]
    data = {"text/markdown": "\n".join(markdown), "text/plain": "\n".join(plain)}
    display(data, raw=True)  # type: ignore[no-untyped-call]
