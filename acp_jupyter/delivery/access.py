"""Who may see a session, and what only its user may do."""

from __future__ import annotations

from typing import assert_never

from acp_jupyter.delivery.callers import Caller, KernelCaller, UserCaller
from acp_jupyter.errors import NotAllowed, UnknownSession
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.session import Session
from acp_jupyter.host.session_meta import SessionMeta

__all__ = ["may_read_traffic", "may_see", "may_see_stored", "seen_session", "users_only"]


def may_see(session: Session, caller: Caller) -> bool:
    """A kernel sees the sessions it made and those of its notebook; a user sees all."""
    match caller:
        case UserCaller():
            return True
        case KernelCaller():
            bound = bool(caller.notebook_path)
            same = session.state.notebook_path == caller.notebook_path
            return session.kernel_id == caller.kernel_id or (bound and same)
        case _:
            assert_never(caller)


def may_see_stored(meta: SessionMeta, caller: Caller) -> bool:
    """The same for a session of an earlier run: its kernel is gone, its notebook may be open."""
    match caller:
        case UserCaller():
            return True
        case KernelCaller():
            return bool(caller.notebook_path) and meta.notebook_path == caller.notebook_path
        case _:
            assert_never(caller)


def seen_session(host: AgentHost, session_id: str, caller: Caller) -> Session:
    """Return a session that the caller may see.

    Raises
    ------
    UnknownSession
        There is none for this caller.
    """
    session = host.session(session_id)
    if not may_see(session, caller):
        raise UnknownSession(f"There is no session {session_id!r} of this notebook.")
    return session


def may_read_traffic(session: Session, caller: Caller) -> None:
    """Let users read every session's traffic, and a kernel that of the sessions that it made.

    Raises
    ------
    UnknownSession
        The caller does not see the session.
    NotAllowed
        It sees the session, and has not made it.
    """
    if not may_see(session, caller):
        raise UnknownSession(f"There is no session {session.session_id!r} of this notebook.")
    if isinstance(caller, KernelCaller) and session.kernel_id != caller.kernel_id:
        raise NotAllowed(
            "This session was not started by this kernel, so only the user may read its traffic. "
            "Export it as Markdown, HTML or JSON."
        )


def users_only(caller: Caller, action: str) -> UserCaller:
    """Return the user; refuse what a kernel, and so the code that runs in it, may not do.

    Raises
    ------
    NotAllowed
        The caller is a kernel.
    """
    if not isinstance(caller, UserCaller):
        raise NotAllowed(f"Only the user can {action}: do it in the page.")
    return caller
