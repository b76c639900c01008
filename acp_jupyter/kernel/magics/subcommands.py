"""``%acp``: finds the subcommand and runs it; help, status, use, cancel."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Callable, Sequence

from IPython.core.error import UsageError
from IPython.core.getipython import get_ipython

from acp_jupyter._version import __version__
from acp_jupyter.errors import UnknownAgent
from acp_jupyter.kernel.client.connection import host_client
from acp_jupyter.kernel.client.recording import is_replaying, run_recording
from acp_jupyter.kernel.magics import session_commands, setting_commands
from acp_jupyter.kernel.magics import setting_commands as agent_commands
from acp_jupyter.kernel.magics.cell import run_fix
from acp_jupyter.kernel.magics.cell_options import cell_help
from acp_jupyter.kernel.magics.export_import import run_export, run_import
from acp_jupyter.kernel.magics.help import DETAILS, SUBCOMMANDS, print_text, table
from acp_jupyter.kernel.magics.session_commands import run_log
from acp_jupyter.kernel.session import defaults

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
    run = _RUN.get(name)
    if run is None:
        raise UsageError(_unknown(name))
    if not {"-h", "--help"}.isdisjoint(rest):
        run, rest = _help, [name]
    run(rest)


def _unknown(name: str) -> str:
    close = difflib.get_close_matches(name, _NAMES, 1)
    hint = f"Type %acp {close[0]}." if close else f"Type %acp and one of: {', '.join(_NAMES)}."
    return f"There is no %acp {name}. {hint} A cell with a prompt begins with %%acp."


def _use(rest: Sequence[str]) -> None:
    if len(rest) != 1:
        raise UsageError("Name one agent: %acp use AGENT. %acp agents lists them.")
    name, agents = rest[0], host_client().agents()
    # Configured agents come first, and an id counts more than a title.
    called = {agent.name.casefold(): agent.id for agent in reversed(agents)}
    called |= {agent.id: agent.id for agent in agents}
    if name.casefold() not in called and not is_replaying():
        close = difflib.get_close_matches(name.casefold(), called, 1)
        hint = f" Did you mean {called[close[0]]}?" if close else ""
        known = ", ".join(agent.id for agent in agents)
        raise UnknownAgent(f"There is no agent {name!r}.{hint} There are: {known}.")
    defaults.agent = called.get(name.casefold(), name)
    print_text(f"%%acp cells that name no agent now use {defaults.agent}.")


def _cancel() -> None:
    client = host_client()
    stopped = 0
    for state in client.sessions():
        turns = [turn.turn_id for turn in state.queue]
        turns += [state.active_turn_id] if state.active_turn_id else []
        for turn_id in turns:
            client.cancel(state.session_id, turn_id)
            stopped += 1
    print_text(
        f"Stopped {stopped} turn{'s' * (stopped != 1)}." if stopped else "Nothing is running."
    )


def _status() -> None:
    client = host_client()
    sessions = client.sessions()
    running = sum(state.active_turn_id is not None for state in sessions)
    place = "the Jupyter server" if client.location == "server" else "this kernel"
    table(
        ("", ""),
        [
            ("Version", __version__),
            ("Agents run in", place),
            ("Chosen agent", defaults.agent),
            ("Sessions", f"{len(sessions)}, running: {running}"),
        ],
    )


def _help(rest: Sequence[str]) -> None:
    if rest:
        print(_more(rest[0]))  # noqa: T201 - for the cell
        return
    width = max(map(len, SUBCOMMANDS))
    lines = [f"  %acp {name:{width}}  {words}" for name, words in SUBCOMMANDS.items()]
    more = "%acp help SUBCOMMAND says more about one."
    print("\n".join([cell_help(), "Line magics:", *lines, "", more]))  # noqa: T201 - for the cell


def _more(name: str) -> str:
    """Return the help of one subcommand."""
    found = next((words for words in SUBCOMMANDS if words.split()[0] == name), None)
    if found is None:
        raise UsageError(_unknown(name))
    said = SUBCOMMANDS[found]
    lines = [f"%acp {found}", "", f"{said[:1].upper()}{said[1:]}.", ""]
    return "\n".join([*lines, *(f"  {line}" for line in DETAILS.get(name, ()))]).rstrip()


def _fix(rest: Sequence[str]) -> None:
    shell = get_ipython()
    assert shell is not None
    run_fix(shell, rest)


def _record(rest: Sequence[str]) -> None:
    print_text(run_recording("record", rest, host_client()))


def _replay(rest: Sequence[str]) -> None:
    print_text(run_recording("replay", rest, host_client()))


def _alone(name: str, run: Callable[[], None]) -> Callable[[Sequence[str]], None]:
    """Refuse what stands after a subcommand that takes nothing."""

    def checked(rest: Sequence[str]) -> None:
        if rest:
            raise UsageError(f"%acp {name} takes no arguments. Type: %acp {name}")
        run()

    return checked


_RUN: dict[str, Callable[[Sequence[str]], None]] = {
    "agents": agent_commands.list_agents,
    "login": agent_commands.login,
    "logout": agent_commands.logout,
    "restart": agent_commands.restart,
    "use": _use,
    "sessions": session_commands.list_sessions,
    "new": session_commands.new,
    "resume": session_commands.resume,
    "fork": session_commands.fork,
    "close": session_commands.close,
    "delete": session_commands.delete,
    "mode": setting_commands.mode,
    "model": setting_commands.model,
    "config": setting_commands.config,
    "policy": setting_commands.policy,
    "cancel": _alone("cancel", _cancel),
    "fix": _fix,
    "log": run_log,
    "export": run_export,
    "import": run_import,
    "status": _alone("status", _status),
    "record": _record,
    "replay": _replay,
    "help": _help,
}
