"""The first line of a new session's log."""

from __future__ import annotations

import uuid
from pathlib import Path

from acp_jupyter.host.registry.entries import AgentSpec
from acp_jupyter.protocol.host_events.notes import SessionOpened
from acp_jupyter.protocol.host_events.permissions import Policy

__all__ = ["opening_note"]


def opening_note(
    spec: AgentSpec, cwd: Path, policy: Policy, title: str, notebook_path: str, user: str
) -> SessionOpened:
    """Return the note of a session that is about to be, with an id of its own."""
    return SessionOpened(
        session_id=uuid.uuid4().hex,
        agent_id=spec.id,
        agent_name=spec.name,
        cwd=str(cwd),
        folder=_for_people(cwd),
        policy=policy,
        title=title,
        notebook_path=notebook_path,
        user=user,
    )


def _for_people(folder: Path) -> str:
    """Shorten the home folder to ``~``."""
    try:
        return f"~/{folder.relative_to(Path.home()).as_posix()}".removesuffix("/.")
    except ValueError:
        return str(folder)
