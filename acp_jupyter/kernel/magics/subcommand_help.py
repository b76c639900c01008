"""The subcommands of ``%acp``: their names, options, and what ``%acp help`` says of each.

They are apart from what they do, so that completion loads fast.
"""

from __future__ import annotations

from typing import Literal, get_args

SUBCOMMANDS = {
    "agents [--all]": "list the agents and whether they can start",
    "login [METHOD]": "log in to the agent of the session that needs it",
    "logout": "log out of the session's agent",
    "restart [AGENT]": "end an agent; the next message starts it again",
    "use AGENT": "choose the agent of %%acp cells that name none",
    "sessions": "list the sessions of this notebook, also those of earlier runs",
    "new [AGENT] [--session NAME]": "start a session anew; cells go on in it",
    "resume ID": "take up a session again; cells go on in it",
    "fork [ID]": "start a session that goes on from where another is",
    "close [ID]": "end a session and its agent; it is kept",
    "delete ID": "remove a session and what is kept of it",
    "mode [MODE]": "change the session's mode, or list its modes",
    "model [MODEL]": "change the session's model, or list its models",
    "config [NAME=VALUE]": "change the session's other options, or list them",
    "policy [POLICY]": "choose the policy of %%acp cells that name none",
    "fix [AGENT] [options]": "send the last error of this kernel to an agent",
    "log [ID] [options]": "show the last messages between us and the agent, as they were sent",
    "cancel": "stop the running turn of this notebook",
    "export PATH [options]": "write a session to a file: .ndjson, .md, .html or .json",
    "import PATH [options]": "read a log of an agent's session and show it",
    "status": "say where agents run, which agent is chosen and what runs",
    "record [on|off] [PATH]": "record this notebook's sessions, to play them without an agent",
    "replay [on|off] [PATH]": "play the recorded sessions in place of agents",
    "help [SUBCOMMAND]": "show this, or more of one of them",
}
"""With their arguments, and what they do."""

EXPORT_OPTIONS = ("--format", "--session", "--thoughts", "--force")
IMPORT_OPTIONS = ("--as", "--name", "--session")

Format = Literal["traffic", "packets", "build-mode", "markdown", "html", "json"]

FORMATS: tuple[Format, ...] = get_args(Format)
"""What a session is exported as."""

KINDS = ("traffic", "packets", "build-mode", "claude-cli")
"""What is imported."""

_WHICH = "ID may be shortened, or the session's title; default: the one used last here."
_PATH = "PATH ends with .acp; default: beside the notebook, by its name."

DETAILS: dict[str, tuple[str, ...]] = {
    "agents": ("--all  also those that are known and not installed, with how to install each",),
    "login": (
        "METHOD is one of the ways that %acp agents lists; default: the first that works here.",
    ),
    "restart": (
        "AGENT is its id; default: as chosen by %acp use.",
        "Its sessions go on, where the agent can take them up again.",
    ),
    "use": (
        "AGENT is its id: %acp agents lists them. It is used until this kernel ends.",
        "Example: %acp use opencode",
    ),
    "new": (
        "AGENT           its id; default: as chosen by %acp use",
        "--session NAME  start the session of that name anew",
    ),
    "resume": ("ID may be shortened, or the session's title. %acp sessions lists them.",),
    "fork": (_WHICH, "The agent must be able to; %acp fork says so where it is not."),
    "close": (_WHICH, "%acp resume ID takes it up again."),
    "delete": ("ID may be shortened, or the session's title. %acp sessions lists them.",),
    "mode": ("Without MODE it lists them. %%acp --mode MODE does the same from a cell.",),
    "model": ("Without MODEL it lists them. %%acp --model MODEL does the same from a cell.",),
    "config": (
        "Without NAME=VALUE it lists them. %%acp --config NAME=VALUE does the same from a cell.",
        "Example: %acp config speed=fast",
    ),
    "policy": (
        "POLICY says how permission requests of a turn are answered:",
        "  ask           by you",
        "  read-only     reading in the session's folder is allowed, all else is rejected",
        "  accept-edits  edits in it are allowed, but of protected files; you are asked the rest",
        "  allow-all     all is allowed that says what it is; you are asked the rest",
        "  deny          everything is rejected",
        "  default       as the session has it; the panel shows it",
        "Without POLICY it says which is chosen.",
    ),
    "fix": ("The options are those of a cell: %%acp --help. Example: %acp fix --policy ask",),
    "log": (
        _WHICH,
        "--lines N    how many; default: 20",
        "--text TEXT  only lines with this text, e.g. session/prompt",
    ),
    "export": (
        "--format FORMAT  traffic, packets, build-mode, markdown, html or json; default: by PATH",
        "--session ID     which one; default: the one used last here",
        "--thoughts       with the agent's reasoning",
        "--force          replace the file, if there is one",
        "Example: %acp export talk.md",
    ),
    "import": (
        "--as KIND        traffic, packets, build-mode or claude-cli; default: found out",
        "--name NAME      what the file is called; default: its own name",
        "--session ID     of several in the file, which",
    ),
    "record": (_PATH, "Without on or off it says what is recorded or played."),
    "replay": (_PATH, "Without on or off it says what is recorded or played."),
}
"""What ``%acp help SUBCOMMAND`` adds."""
