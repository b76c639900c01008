"""What ``%acp`` shows below a cell: the help of its subcommands, sentences, and tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, get_args

from IPython.display import display

from acp_jupyter.features import registered
from acp_jupyter.kernel.magics.subcommand import Subcommand
from acp_jupyter.system.printing import echo
from acp_jupyter.transcript.escaping import inert, one_line


def print_text(words: str) -> None:
    """Print words below the cell."""
    echo(words)


def table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
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


_OF_CORE = {
    "agents [--all]": "list the agents and whether they can start",
    "login [METHOD]": "log in to the agent of the session that needs it",
    "logout": "log out of the session's agent",
    "restart [AGENT]": "end an agent; the next message starts it again",
    "use AGENT": "choose the agent of %%acp cells that name none",
    "sessions": "list the sessions of this notebook, also those of earlier runs",
    "new [AGENT] [--session NAME]": "start a new session; cells use it from now on",
    "resume ID": "resume a session; cells use it from now on",
    "fork [ID]": "continue from a session in a new one",
    "close [ID]": "end a session and its agent, but keep what was said",
    "delete ID": "delete a session and everything stored about it",
    "mode [MODE]": "change the session's mode, or list its modes",
    "model [MODEL]": "change the session's model, or list its models",
    "config [NAME=VALUE]": "change the session's other options, or list them",
    "policy [POLICY]": "choose the policy of %%acp cells that name none",
    "sandbox [SANDBOX]": "say what holds the agent, or choose for %%acp cells that name none",
    "network [NETWORK]": "choose what the agent reaches from its sandbox, or say what that is",
    "limit [--turn] [LIMIT]": "limit what the session may use, or say what its limits are",
    "log [ID] [options]": "show the last messages to and from the agent, as they were sent",
    "usage [ID]": "show what the session used, and what all sessions used today",
    "steer WORDS": "say something to the agent while its turn runs, without stopping it",
    "cancel": "stop the running turn of this notebook",
    "export PATH [options]": "write a session to a file: .ndjson, .md, .html or .json",
    "import PATH [options]": "read a log of an agent's session and show it",
    "status": "show where agents run, which one is chosen, and what is running",
    "help [SUBCOMMAND]": "show this help, or more about one subcommand",
}

OF_FEATURES: tuple[Subcommand, ...] = tuple(
    each for rows in registered("subcommands").values() for each in rows
)


def _in_order() -> Iterator[tuple[str, str]]:
    for usage, summary in _OF_CORE.items():
        yield usage, summary
        yield from _following(usage.split()[0])


def _following(name: str) -> Iterator[tuple[str, str]]:
    for each in OF_FEATURES:
        if each.after == name:
            yield each.usage, each.summary
            yield from _following(each.name)


SUBCOMMANDS = dict(_in_order())
"""The subcommands, with their arguments and descriptions."""

EXPORT_OPTIONS = ("--format", "--session", "--thoughts", "--force")
IMPORT_OPTIONS = ("--as", "--name", "--session")

Format = Literal["traffic", "packets", "build-mode", "markdown", "html", "json"]

FORMATS: tuple[Format, ...] = get_args(Format)
"""The formats of an export."""

KINDS = ("traffic", "packets", "build-mode", "claude-cli")
"""The formats of an import."""

_WHICH = "ID can be shortened, or be the session's title; default: the one used last here."

DETAILS: dict[str, tuple[str, ...]] = {
    "agents": ("--all  also agents that are not installed, and how to install them",),
    "login": (
        "METHOD is one of the ways that %acp agents lists; default: the first that works here.",
    ),
    "restart": (
        "AGENT is its id; default: as chosen by %acp use.",
        "Its sessions continue, if the agent can resume them.",
    ),
    "use": (
        "AGENT is its id: %acp agents lists them. It is used until this kernel ends.",
        "Example: %acp use opencode",
    ),
    "new": (
        "AGENT           its id; default: as chosen by %acp use",
        "--session NAME  start a new session of that name",
    ),
    "resume": ("ID can be shortened, or be the session's title. %acp sessions lists them.",),
    "fork": (_WHICH, "Not every agent can do this; %acp fork tells you if yours can't."),
    "close": (_WHICH, "%acp resume ID resumes it."),
    "delete": ("ID can be shortened, or be the session's title. %acp sessions lists them.",),
    "mode": ("Without MODE it lists them. %%acp --mode MODE does the same from a cell.",),
    "model": ("Without MODEL it lists them. %%acp --model MODEL does the same from a cell.",),
    "config": (
        "Without NAME=VALUE it lists them. %%acp --config NAME=VALUE does the same from a cell.",
        "Example: %acp config speed=fast",
    ),
    "network": (
        "NETWORK says what the agent of a session in a sandbox reaches:",
        "  all           everything",
        "  hosts         its model, hosts that its entry names, and those that you allow",
        "  none          nothing",
        "From a notebook it can only be made less. The page can open it again.",
    ),
    "policy": (
        "POLICY says how permission requests of a turn are answered:",
        "  ask           by you",
        "  read-only     reading in the session's folder is allowed, everything else is rejected",
        "  accept-edits  edits of source, data, text and notebooks in it are allowed, except of "
        "protected files; you are asked about the rest",
        "  allow-all     requests that name their command or files are allowed; you are asked "
        "about the rest",
        "  deny          everything is rejected",
        "  default       that of the session; the panel shows it",
        "Without POLICY it says which is chosen.",
    ),
    "sandbox": (
        "SANDBOX says what the agent's processes can reach, whatever they ask for:",
        "  off        all that you can",
        "  folder     they write the session's folder without its protected files, and read no "
        "credentials",
        "  copy       they work in a copy of the folder, in a session of its own; _acp.keep() puts "
        "a turn's changes into the folder",
        "  read-only  they write nothing of yours; what they change comes through us",
        "  default    that of the session; the panel shows it",
        "Without SANDBOX it says which is chosen, and what keeps it here.",
        "Kernels are outside of it: code that runs in the notebook can do what you can.",
    ),
    "log": (
        _WHICH,
        "--lines N    how many; default: 20",
        "--text TEXT  only lines with this text, e.g. session/prompt",
    ),
    "limit": (
        "LIMIT is the most that all turns of the session together may use, or off:",
        "  90 s, 10 min, 2 h  time, without that in which a question waits for you",
        "  30 calls           tool calls",
        "  200k tokens        tokens, as the agent reports them",
        "  2 USD, $2          cost, as the agent reports it",
        "--turn  for each later turn instead. %%acp --limit is for the turn of one cell.",
        "Example: %acp limit 1 h, 5 USD",
    ),
    "usage": (
        _WHICH,
        "Tokens and cost are what agents report. Turns that run are not counted yet.",
    ),
    "steer": (
        "The rest of the line is what is said, in the session used last here if a turn runs there.",
        "An agent that does not take it gets it when the turn has ended.",
        "Example: %acp steer Leave the index as it is",
    ),
    "export": (
        "--format FORMAT  traffic, packets, build-mode, markdown, html or json; default: by PATH",
        "--session ID     which one; default: the one used last here",
        "--thoughts       with the agent's reasoning",
        "--force          replace the file, if there is one",
        "Example: %acp export talk.md",
    ),
    "import": (
        "--as KIND        traffic, packets, build-mode or claude-cli; default: detected",
        "--name NAME      what the file is called; default: its own name",
        "--session ID     which one, if the file has several",
    ),
    **{each.name: each.details for each in OF_FEATURES},
}
"""Additional text of ``%acp help SUBCOMMAND``."""
