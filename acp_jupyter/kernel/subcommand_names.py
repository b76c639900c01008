"""The words after ``%acp``, apart from what they do, so that completion loads fast."""

from __future__ import annotations

__all__ = ["SUBCOMMANDS"]

SUBCOMMANDS = {
    "agents": "list the agents and whether they can start",
    "use AGENT": "choose the agent of %%acp cells that name none",
    "sessions": "list the sessions of this notebook",
    "cancel": "stop the running turn of this notebook",
    "status": "say where agents run, which agent is chosen and what runs",
    "record on|off [PATH]": "record the sessions of this notebook, to play them without an agent",
    "replay on|off [PATH]": "play the recorded sessions in place of agents",
    "help": "show this",
}
"""With their arguments, and what they do."""
