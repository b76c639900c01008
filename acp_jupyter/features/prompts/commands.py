"""The command ``list_prompts``, and what a saved prompt is on the wire."""

from __future__ import annotations

from typing import Literal

from acp_jupyter.api.models.command_row import GET, BaseCommand, CommandRow, same
from acp_jupyter.protocol.host_events.session import Policy
from acp_jupyter.protocol.objects import Model


class ListPrompts(BaseCommand):
    """List the saved prompts of a folder, as its files are now."""

    name: Literal["list_prompts"] = "list_prompts"
    session_id: str = ""
    """The session whose folder it is; empty for the folder of a new session."""
    notebook_path: str = ""
    """The notebook of that new session."""


class PromptArgument(Model):
    """An argument of a saved prompt."""

    name: str
    description: str = ""
    default: str | None = None
    """Null if it must be given."""


class SavedPrompt(Model):
    """A saved prompt without its text."""

    name: str
    """What follows the slash."""
    path: str
    """Its file, relative to the folder, with forward slashes."""
    description: str = ""
    arguments: tuple[PromptArgument, ...] = ()
    agent: str = ""
    """Id of the agent that it is for; empty for any."""
    policy: Policy | None = None
    """The loosest policy of its turns; null for the user's own."""
    hidden: bool = False
    """Whether the session's agent has a command of this name, which is then used."""
    problem: str = ""
    """Why it can't be used."""


class SavedPrompts(Model):
    """Result of ``list_prompts``."""

    folder: str
    prompts: tuple[SavedPrompt, ...] = ()
    """By name."""
    left_out: int = 0
    """How many more files there are."""


COMMANDS = (
    CommandRow(
        ListPrompts,
        GET("prompts", query=same("session_id", "notebook_path")),
        SavedPrompts,
    ),
)
