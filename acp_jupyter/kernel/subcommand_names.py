"""The words after ``%acp``, apart from what they do, so that completion loads fast."""

from __future__ import annotations

from typing import Literal, get_args

__all__ = ["EXPORT_OPTIONS", "FORMATS", "IMPORT_OPTIONS", "KINDS", "SUBCOMMANDS", "Format"]

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
    "fix [AGENT]": "send the last error of this kernel to an agent",
    "log [ID]": "show the last lines of what was said between us and the agent",
    "cancel": "stop the running turn of this notebook",
    "export PATH": "write a session to a file: .ndjson, .md, .html or .json",
    "import PATH": "read a log of an agent's session and show it",
    "status": "say where agents run, which agent is chosen and what runs",
    "record on|off [PATH]": "record the sessions of this notebook, to play them without an agent",
    "replay on|off [PATH]": "play the recorded sessions in place of agents",
    "help": "show this",
}
"""With their arguments, and what they do."""

EXPORT_OPTIONS = ("--format", "--session", "--thoughts", "--force")
IMPORT_OPTIONS = ("--as", "--name", "--session")

Format = Literal["traffic", "packets", "build-mode", "markdown", "html", "json"]

FORMATS: tuple[Format, ...] = get_args(Format)
"""What a session is exported as."""

KINDS = ("traffic", "packets", "build-mode", "claude-cli")
"""What is imported."""
