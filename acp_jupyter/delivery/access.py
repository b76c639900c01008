"""Who may see a session, and what only its user may do."""

from __future__ import annotations

from typing import assert_never

from acp_jupyter.delivery.callers import Caller, KernelCaller, UserCaller
from acp_jupyter.errors import NotAllowed
from acp_jupyter.host.session import Session

__all__ = ["may_see", "users_only"]


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


def users_only(caller: Caller, deed: str) -> None:
    """Refuse what a kernel, and so the code that runs in it, may not do.

    Raises
    ------
    NotAllowed
        The caller is a kernel.
    """
    if not isinstance(caller, UserCaller):
        raise NotAllowed(f"Only the user can {deed}: do it in the page.")
