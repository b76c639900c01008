"""Whether an agent needs a login, and how one goes."""

from __future__ import annotations

from acp_jupyter.packets.login_notes import LoginDone, LoginNeeded, LoginStarted
from acp_jupyter.packets.models import ErrorPacket
from acp_jupyter.packets.parse.login import asks_for_login
from acp_jupyter.transcript.draft import Draft
from acp_jupyter.transcript.login_models import LoginState

__all__ = ["done", "needed", "refused", "started", "words_of_need", "works"]


def words_of_need(name: str, message: str = "") -> str:
    """Return the sentence for an agent that needs a login."""
    message = " ".join(message.split()).rstrip(".")[:300]
    return f"{name} needs a login{f': {message}' if message else ''}."


def needed(draft: Draft, note: LoginNeeded) -> None:
    """Offer the agent's ways to log in."""
    draft.change_session(needs_login=note.message, status="stopped", updated_at=draft.at)


def refused(draft: Draft, packet: ErrorPacket) -> None:
    """Take an error that ends a turn; some say that a login has run out."""
    if packet.code and asks_for_login(packet.code, ""):
        words = words_of_need(draft.session.agent_info.name, packet.message)
        draft.change_session(needs_login=words)


def started(draft: Draft, note: LoginStarted) -> None:
    """Show that a login goes on."""
    state = LoginState(
        method_id=note.method_id,
        name=note.name,
        state="running",
        terminal=note.terminal,
        since=draft.at,
    )
    draft.change_session(login=state)


def done(draft: Draft, note: LoginDone) -> None:
    """Show how a login ended; with a good end it is needed no more."""
    if note.ok:
        needs = note.message if note.logged_out else ""
        draft.change_session(login=None, needs_login=needs, updated_at=draft.at)
        return
    before = draft.session.login or LoginState(method_id="", name="")
    failed = before.model_copy(update={"state": "failed", "message": note.message})
    draft.change_session(login=failed, updated_at=draft.at)


def works(draft: Draft) -> None:
    """Note that the agent has opened the session or done a turn: it needs no login now."""
    if draft.session.needs_login or draft.session.login is not None:
        running = draft.session.login is not None and draft.session.login.state == "running"
        draft.change_session(needs_login="", login=draft.session.login if running else None)
