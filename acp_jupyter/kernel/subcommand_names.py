"""The words after ``%acp``, apart from what they do, so that completion loads fast."""

from __future__ import annotations

from typing import Literal, get_args

__all__ = [
    "DETAILS",
    "EXPORT_OPTIONS",
    "FORMATS",
    "IMPORT_OPTIONS",
    "KINDS",
    "SUBCOMMANDS",
    "Format",
]

SUBCOMMANDS = {
    "agents [--all]": "list the agents and whether they can start",
    "login [METHOD]": "log in to the agent of the session that needs it",
    "logout": "log out of the session's agent",
    "restart [AGENT]": "end an agent; the next message starts it again",
    "use AGENT": "choose the agent of %%acp cells that name none",
    "sessions": "list the sessions of this notebook, also those of earlier runs",
    "new [AGENT]": "start a session anew; cells go on in it",
    "resume ID": "take up a session again; cells go on in it",
    "fork [ID]": "start a session that goes on from where another is",
    "close [ID]": "end a session and its agent; it is kept",
    "delete ID": "remove a session and what is kept of it",
    "mode [MODE]": "change the session's mode, or list its modes",
    "model [MODEL]": "change its model, or list its models",
    "config [NAME=VALUE]": "change its other options, or list them",
    "policy [POLICY]": "choose how permission requests of cells that name no policy are answered",
    "fix [AGENT] [options]": "send the last error of this kernel to an agent",
    "log [ID]": "show the last lines of what was said between us and the agent",
    "cancel": "stop the running turn of this notebook",
    "export PATH": "write a session to a file: .ndjson, .md, .html or .json",
    "import PATH": "read a log of an agent's session and show it",
    "status": "say where agents run, which agent is chosen and what runs",
    "record on|off [PATH]": "record the sessions of this notebook, to play them without an agent",
    "replay on|off [PATH]": "play the recorded sessions in place of agents",
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

DETAILS: dict[str, tuple[str, ...]] = {
    "agents": ("--all  also those that are known and not installed, with how to install each",),
    "use": ("Example: %acp use opencode",),
    "new": ("--session NAME  start the session of that name anew",),
    "resume": ("ID may be shortened, or the session's title. %acp sessions lists them.",),
    "mode": ("Without MODE it lists them. %%acp --mode MODE does the same from a cell.",),
    "model": ("Without MODEL it lists them. %%acp --model MODEL does the same from a cell.",),
    "config": ("Without an option it lists them. Example: %acp config speed=fast",),
    "policy": (
        "POLICY is ask, read-only, accept-edits, allow-all, deny, or default for the session's.",
        "It is about cells of this notebook that name none.",
    ),
    "fix": ("The options are those of a cell: %%acp --help. Example: %acp fix --policy ask",),
    "log": (
        "--lines N    how many; default: 20",
        "--text TEXT  only lines with this text, e.g. session/prompt",
    ),
    "export": (
        "--format FORMAT  traffic, packets, build-mode, markdown, html or json; default: by PATH",
        "--session ID     which one; default: the one that changed last",
        "--thoughts       with the agent's reasoning",
        "--force          replace the file, if there is one",
        "Example: %acp export talk.md",
    ),
    "import": (
        "--as KIND        traffic, packets, build-mode or claude-cli; default: found out",
        "--name NAME      what the file is called; default: its own name",
        "--session ID     of several in the file, which",
    ),
    "record": ("PATH ends with .acp; default: beside the notebook, by its name.",),
    "replay": ("PATH ends with .acp; default: beside the notebook, by its name.",),
}
"""What ``%acp help SUBCOMMAND`` adds."""
