"""The command that begins a variant of a prompt."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from acp_jupyter.api.models.command_row import POST, BaseCommand, CommandRow
from acp_jupyter.protocol.host_events.session import Network, Sandbox
from acp_jupyter.transcript.model.session_state import SessionState

Restore = Literal["dill", "rerun", "none"]
"""What a variant's own kernel begins with: copies of the variables (made by dill), the results of
running the cells above again, or nothing.
"""


class CreateVariant(BaseCommand):
    """Create a session for one turn in a copy of the folder.

    In a notebook whose kernel this server has started, it gets a kernel of its own when its agent
    first needs it, and the notebook tools for the copy.
    """

    name: Literal["create_variant"] = "create_variant"
    agent: str
    try_id: str = Field(default="", max_length=100)
    """The same for all variants of a prompt; empty for the first one."""
    cwd: str | None = None
    """The folder to copy, absolute or relative to the server's root; default: chosen from the
    notebook."""
    notebook_path: str = ""
    trust: bool = False
    """Whether agents may run in the folder and its copies; see ``create_session``."""
    ask_trust: bool = False
    sandbox: Sandbox | None = None
    """Default: that of the notebook's session with this agent, else as for a new session."""
    network: Network | None = None
    """Network of the sandbox, with the same default. A kernel can only restrict it."""
    tools: bool = True
    """Whether the agent gets the notebook tools, and so a kernel."""
    restore: Restore = "none"
    """What that kernel begins with."""
    cell_id: str = Field(default="", max_length=200)
    """The cell that asks: ``rerun`` runs the cells above it."""


COMMANDS = (
    CommandRow(CreateVariant, POST("variants", body=True, sends_defaults=False), SessionState),
)
