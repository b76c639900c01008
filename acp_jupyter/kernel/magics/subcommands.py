"""``%acp``: finds the subcommand and runs it; help, status, use, cancel, and those for sessions.

Sessions, and their traffic: ``%acp sessions, new, resume, fork, close, delete, log``.
"""

from __future__ import annotations

import difflib
import shlex
import time
from collections.abc import Callable, Sequence

from IPython.core.error import UsageError

from acp_jupyter._version import __version__
from acp_jupyter.api.cell_options import LineParser, cell_help
from acp_jupyter.api.models.sessions import GetUsage, UsageReply
from acp_jupyter.api.models.traffic import GetTraffic, TrafficLine
from acp_jupyter.api.models.turns import PromptSession
from acp_jupyter.errors import BadRequest, UnknownAgent
from acp_jupyter.kernel.client.host_client import HostClient
from acp_jupyter.kernel.client.recording import is_replaying
from acp_jupyter.kernel.client.server_client import host_client
from acp_jupyter.kernel.connect import by_time, choose_session, connect, find_session, short
from acp_jupyter.kernel.execution_context import execution_context
from acp_jupyter.kernel.magics import agent_commands, setting_commands
from acp_jupyter.kernel.magics.export_import import run_export, run_import
from acp_jupyter.kernel.magics.help import DETAILS, OF_FEATURES, SUBCOMMANDS, print_text, table
from acp_jupyter.kernel.session import defaults
from acp_jupyter.protocol.files import human_size
from acp_jupyter.protocol.formatting import quantity
from acp_jupyter.protocol.json import clean_json
from acp_jupyter.protocol.turn_limit import amount_words
from acp_jupyter.system.printing import echo
from acp_jupyter.transcript.escaping import one_line
from acp_jupyter.transcript.model.session_state import SessionState
from acp_jupyter.transcript.model.use import Use

_STATES = {
    "starting": "starting",
    "idle": "ready",
    "running": "running",
    "requires_action": "waits for an answer",
    "stopped": "ended",
}


def list_sessions(rest: Sequence[str]) -> None:
    """List the sessions, what changed last first."""
    if rest:
        raise UsageError("%acp sessions takes no arguments. Type: %acp sessions")
    sessions = [each for each in by_time(host_client().sessions()) if not each.archived]
    if not sessions:
        print_text("There is no session yet. A cell that begins with %%acp starts one.")
        return
    now = time.time()
    rows = [
        (
            short(state.session_id),
            state.title,
            state.agent_info.name or state.agent,
            _state_in_words(state),
            _age(now - (state.updated_at or now)),
            "used last" if state.session_id == defaults.session_id else "",
        )
        for state in sessions
    ]
    table(("Session", "Title", "Agent", "Status", "Age", ""), rows)


def new(rest: Sequence[str]) -> None:
    """Start a new session; later cells use it."""
    parser = LineParser("%acp new", see="Type: %acp new [AGENT] [--session NAME]")
    parser.add_argument("agent", nargs="?")
    parser.add_argument("--session", default="")
    given = parser.parse_args(rest)
    session = connect(given.agent, session=given.session, new=True)
    where = session.state.folder
    cells = _cells(session.agent, given.session)
    print_text(
        f"New session {short(session.id)} with {session.agent} in {where}. "
        f"{cells} use it from now on."
    )


def resume(rest: Sequence[str]) -> None:
    """Resume a session by its id; later cells use it."""
    client = host_client()
    state = find_session(client.sessions(), _one(rest, "resume"))
    if state.read_only:
        raise BadRequest(state.read_only)
    state = client.resume(state.session_id)
    _go_on_in(state)
    what = f"Resumed session {short(state.session_id)}{_titled(state)} of {state.agent}."
    if state.history == "without":
        what += " The agent does not remember what was said before."
    print_text(f"{what} {_cells(state.agent, '')} use it from now on.")


def fork(rest: Sequence[str]) -> None:
    """Fork a session; later cells use the new one."""
    client = host_client()
    parent = choose_session(client, _at_most_one(rest, "fork"))
    state = client.fork(parent.session_id)
    _go_on_in(state)
    print_text(
        f"Session {short(state.session_id)} continues from where {short(parent.session_id)} is. "
        f"{_cells(state.agent, '')} use it from now on."
    )


def close(rest: Sequence[str]) -> None:
    """Close a session and its agent; it stays saved."""
    client = host_client()
    state = choose_session(client, _at_most_one(rest, "close"))
    client.close_session(state.session_id)
    _forget(state)
    name = short(state.session_id)
    print_text(f"Closed session {name}{_titled(state)}. Resume it with %acp resume {name}.")


def delete(rest: Sequence[str]) -> None:
    """Delete a session and its files."""
    client = host_client()
    state = find_session(client.sessions(), _one(rest, "delete"))
    _delete(client, state)
    _forget(state)
    print_text(f"Deleted session {short(state.session_id)}{_titled(state)}.")


def _delete(client: HostClient, state: SessionState) -> None:
    client.delete_session(state.session_id)


def _one(rest: Sequence[str], name: str) -> str:
    if len(rest) != 1:
        raise UsageError(f"Name one session: %acp {name} ID. %acp sessions lists them.")
    return rest[0]


def _at_most_one(rest: Sequence[str], name: str) -> str:
    return _one(rest, name) if rest else ""


def _go_on_in(state: SessionState) -> None:
    defaults.session_id = state.session_id
    defaults.chosen[state.agent, ""] = state.session_id
    if state.continues_in:
        defaults.kept.add(state.session_id)


def _forget(state: SessionState) -> None:
    if defaults.session_id == state.session_id:
        defaults.session_id = ""
    for key, session_id in tuple(defaults.chosen.items()):
        if session_id == state.session_id:
            del defaults.chosen[key]


def _cells(agent: str, label: str) -> str:
    named = "" if agent == defaults.agent else f" {agent}"
    return f"Cells with %%acp{named}{f' --session {label}' if label else ''}"


def _titled(state: SessionState) -> str:
    return f" ({state.title})" if state.title else ""


def _state_in_words(state: SessionState) -> str:
    if state.read_only:
        return "read only"
    if state.stored:
        return "kept"
    if state.waiting:
        return "waits for an answer"
    return _STATES[state.status]


def _age(seconds: float) -> str:
    if seconds < 60:
        return "now"
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return ""


_LINES = 20
_MAX_LINES = 500
_CHARS = 160
_SIDES = {">": "to agent", "<": "from agent", "!": "note"}


def run_log(rest: Sequence[str]) -> None:
    """Print the last lines."""
    parser = LineParser("%acp log", see="Type: %acp log [SESSION] [--lines N] [--text WORDS]")
    parser.add_argument("session", nargs="?", default="")
    parser.add_argument("--lines", default=str(_LINES))
    parser.add_argument("--text", default="")
    given = parser.parse_args(rest)
    if not given.lines.isdecimal() or not 1 <= int(given.lines) <= _MAX_LINES:
        raise UsageError(f"--lines is a number from 1 to {_MAX_LINES}.")
    client = host_client()
    state = choose_session(client, given.session)
    command = GetTraffic(session_id=state.session_id, limit=int(given.lines), text=given.text[:200])
    page = client.traffic_lines(command)
    print_text(
        "\n".join([*map(_line, page.lines), _footer(state.session_id, page.start, page.size)])
    )


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


def show_usage(rest: Sequence[str]) -> None:
    """Show what a session used, and what all used today."""
    client = host_client()
    named = _at_most_one(rest, "usage")
    known = client.sessions()
    state = choose_session(client, named) if named or known else None
    found: UsageReply = client.run(GetUsage(session_id="" if state is None else state.session_id))
    rows = [] if state is None or found.session is None else [_used(_named(state), found.session)]
    titles = ("", "Turns", "Time", "Tool calls", "Tokens", "Cost")
    table(titles, [*rows, _used("All sessions today", found.today)])


def _named(state: SessionState) -> str:
    return f"Session {short(state.session_id)}{_titled(state)}"


def _used(name: str, use: Use) -> tuple[str, ...]:
    costs = (amount_words("money", each.amount, each.currency).strip() for each in use.costs)
    tokens = "not reported" if use.tokens is None else f"{use.tokens:,}"
    time_words = amount_words("seconds", use.seconds, "")
    cost = ", ".join(costs) or "not reported"
    return name, f"{use.turns:,}", time_words, f"{use.calls:,}", tokens, cost


_NAMES = tuple(words.split()[0] for words in SUBCOMMANDS)


def run_subcommand(line: str) -> None:
    """Run ``%acp LINE``."""
    name, _, words = line.strip().partition(" ")
    if name == "steer" and words.strip() not in {"-h", "--help"}:
        _steer(words.strip())  # a sentence may have an apostrophe
        return
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
    near = difflib.get_close_matches(name, _NAMES, 1)
    hint = f"Type %acp {near[0]}." if near else f"Type %acp and one of: {', '.join(_NAMES)}."
    return f"There is no %acp {name}. {hint} A cell with a prompt begins with %%acp."


def _use(rest: Sequence[str]) -> None:
    if len(rest) != 1:
        raise UsageError("Name one agent: %acp use AGENT. %acp agents lists them.")
    name, agents = rest[0], host_client().agents()
    # Configured agents come first, and an id counts more than a title.
    called = {agent.name.casefold(): agent.id for agent in reversed(agents)}
    called |= {agent.id: agent.id for agent in agents}
    if name.casefold() not in called and not is_replaying():
        near = difflib.get_close_matches(name.casefold(), called, 1)
        hint = f" Did you mean {called[near[0]]}?" if near else ""
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
    print_text(f"Stopped {quantity(stopped, 'turn')}." if stopped else "Nothing is running.")


def _steer(words: str) -> None:
    if not words:
        raise UsageError("Say what the agent should know: %acp steer WORDS.")
    client = host_client()
    running = [state for state in by_time(client.sessions()) if state.active_turn_id is not None]
    used_last = [state for state in running if state.session_id == defaults.session_id]
    if not running:
        raise BadRequest("Nothing is running. Send a prompt: a cell that begins with %%acp.")
    state = (used_last or running)[0]
    can_ask = execution_context().can_ask
    message = PromptSession(session_id=state.session_id, prompt=clean_json(words), can_ask=can_ask)
    if client.steer(message):
        print_text(f"{state.agent_info.name} took it into the turn that runs.")
        return
    print_text(
        f"{state.agent_info.name} did not take it into the turn. It waits, and is sent when the "
        "turn has ended."
    )


def _status() -> None:
    client = host_client()
    sessions = client.sessions()
    running = sum(state.active_turn_id is not None for state in sessions)
    where = "the Jupyter server" if client.location == "server" else "this kernel"
    if client.behind_gateway:
        where += "; this kernel runs behind its gateway and may not have the agents' files"
    table(
        ("", ""),
        [
            ("Version", __version__),
            ("Agents run in", where),
            ("Chosen agent", defaults.agent),
            ("Sessions", f"{len(sessions)}, running: {running}"),
        ],
    )


def _help(rest: Sequence[str]) -> None:
    if rest:
        echo(_more(rest[0]))
        return
    width = max(map(len, SUBCOMMANDS))
    lines = [f"  %acp {name:{width}}  {words}" for name, words in SUBCOMMANDS.items()]
    more = "%acp help SUBCOMMAND says more about one."
    echo("\n".join([cell_help(), "Line magics:", *lines, "", more]))


def _more(name: str) -> str:
    """Return the help of one subcommand."""
    found = next((words for words in SUBCOMMANDS if words.split()[0] == name), None)
    if found is None:
        raise UsageError(_unknown(name))
    subcommand = SUBCOMMANDS[found]
    lines = [f"%acp {found}", "", f"{subcommand[:1].upper()}{subcommand[1:]}.", ""]
    return "\n".join([*lines, *(f"  {line}" for line in DETAILS.get(name, ()))]).rstrip()


def _alone(name: str, run: Callable[[], None]) -> Callable[[Sequence[str]], None]:
    """Refuse arguments after a subcommand that takes none."""

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
    "sessions": list_sessions,
    "new": new,
    "resume": resume,
    "fork": fork,
    "close": close,
    "delete": delete,
    "mode": setting_commands.mode,
    "model": setting_commands.model,
    "config": setting_commands.config,
    "policy": setting_commands.policy,
    "sandbox": setting_commands.sandbox,
    "network": setting_commands.network,
    "limit": setting_commands.limit,
    "cancel": _alone("cancel", _cancel),
    "steer": lambda rest: _steer(" ".join(rest)),
    "log": run_log,
    "usage": show_usage,
    "export": run_export,
    "import": run_import,
    "status": _alone("status", _status),
    "help": _help,
    **{each.name: each.run for each in OF_FEATURES},
}
