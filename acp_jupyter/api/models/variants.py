"""Commands about variants: one prompt, tried several ways, each in a copy of the folder."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from acp_jupyter.api.models.command_row import BaseCommand
from acp_jupyter.protocol.host_events.session import Network, Restore, Sandbox


class CreateVariant(BaseCommand):
    """Start a session for one turn in a copy of the folder.

    In a notebook whose kernel this server has started, it gets a kernel of its own when its agent
    first needs it, and the notebook tools for the copy.
    """

    name: Literal["create_variant"] = "create_variant"
    agent: str
    try_id: str = Field(default="", max_length=100)
    """As the first variant of a prompt has it; empty for the first one."""
    cwd: str | None = None
    """The folder to copy, absolute or relative to the server's root; default: chosen from the
    notebook."""
    notebook_path: str = ""
    trust: bool = False
    """Whether agents may run in the folder and its copies; see ``create_session``."""
    ask_trust: bool = False
    """The same."""
    sandbox: Sandbox | None = None
    """Default: that of the notebook's session with this agent, else as for a new session."""
    network: Network | None = None
    """The same. A kernel can only have it reach less than that."""
    tools: bool = True
    """Whether the agent gets the notebook tools, and so a kernel."""
    restore: Restore = "none"
    """What that kernel begins with."""
    cell_id: str = Field(default="", max_length=200)
    """The cell that asks: ``rerun`` runs those above it."""


class KeepVariant(BaseCommand):
    """Put what a turn has changed in a copy into the folder that was copied, or take it out again.

    The turn is that of a variant, or of a session in the sandbox ``copy``; then what earlier turns
    have changed in the same files is kept with it. All of it or nothing: it is refused where a file
    was changed since the copy was made.
    """

    name: Literal["keep_variant"] = "keep_variant"
    turn_id: str
    paths: tuple[str, ...] | None = Field(default=None, max_length=1000)
    """Which files; default: all that can be kept."""
    undo: bool = False
