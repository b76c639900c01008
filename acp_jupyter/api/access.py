"""Callers, users and kernels: which sessions each may see, and what only a user may do.

An agent's code may run in a kernel. So a kernel that calls a server sees only the sessions that it
created and those of its notebook, and never answers for its user. A host inside a kernel can't tell
the two apart: see `EmbeddedHost`. If users have names, only the sender of a prompt answers the
requests of its turn.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, assert_never

from typing_extensions import TypeAliasType

from acp_jupyter.api.models.documents import Cell
from acp_jupyter.errors import NotAllowed, UnknownSession
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.requests.answers import Answerer
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.host.store.metadata import SessionMeta
from acp_jupyter.host.workspace.folders import choose_cwd, resolve_cwd


@dataclass(frozen=True, slots=True)
class UserCaller:
    """A person with a Jupyter identity: the cookie or the token of the user."""

    username: str
    anonymous: bool = False
    """Whether the name was made up for whoever has the server's own token or password."""
    shown_name: str = ""
    """Their name where it is worth telling: see `Answerer`."""

    @property
    def person(self) -> str:
        """Who this is among several; empty for the server's owner, who needs no name."""
        return "" if self.anonymous else self.username

    @property
    def answerer(self) -> Answerer:
        """Who answers, when they do."""
        return Answerer(self.username, self.shown_name)


@dataclass(frozen=True, slots=True)
class KernelCaller:
    """A kernel that proved itself with the key of its connection file.

    Any code in the kernel can send its commands, including an agent's. So it may prompt, read and
    cancel its own sessions, but never answer a permission request.
    """

    kernel_id: str
    notebook_path: str
    """The notebook that the server has bound to this kernel; empty when there is none."""


Caller = TypeAliasType("Caller", UserCaller | KernelCaller)


def notebook_of(caller: Caller, asked: str) -> tuple[str, str]:
    """Return the notebook and the kernel for a caller's new session.

    For a kernel, they are those that the server knows, whatever the request says.
    """
    if isinstance(caller, KernelCaller):
        return caller.notebook_path, caller.kernel_id
    return asked, ""


def place_of(caller: Caller, asked: str = "") -> str:
    """Return where the caller's agents in kernels are: its notebook, else its kernel."""
    return next(filter(None, notebook_of(caller, asked)), "")


def folder_of(caller: Caller, root: Path, asked: str | None, notebook: str) -> Path:
    """Return the folder of a caller's new session: what is asked for, else the notebook's."""
    if asked is None:
        return choose_cwd(root, notebook)
    return resolve_cwd(root, asked, inside_root=isinstance(caller, KernelCaller))


def may_see(session: Session, caller: Caller) -> bool:
    """Return whether a caller sees a session: a kernel its own and its notebook's, a user all."""
    match caller:
        case UserCaller():
            return True
        case KernelCaller():
            bound = bool(caller.notebook_path)
            same = session.state.notebook_path == caller.notebook_path
            own = session.kernel_id == caller.kernel_id or (bound and same)
            # While a notebook is being renamed, kernel and session may know different paths.
            return own or _waits(session, caller.kernel_id)
        case _:
            assert_never(caller)


def _waits(session: Session, kernel_id: str) -> bool:
    """Return whether the running turn was sent from a kernel."""
    turn_id = session.state.active_turn_id
    origin = session.transcript.turns[turn_id].origin if turn_id else None
    return origin is not None and origin.kernel_id == kernel_id != ""


def may_see_stored(meta: SessionMeta, caller: Caller) -> bool:
    """Return whether a caller may see a stored session; a kernel only those of its notebook."""
    match caller:
        case UserCaller():
            return True
        case KernelCaller():
            return bool(caller.notebook_path) and meta.facts.notebook_path == caller.notebook_path
        case _:
            assert_never(caller)


def visible_session(host: AgentHost, session_id: str, caller: Caller) -> Session:
    """Return a session that the caller may see."""
    session = host.sessions.require(session_id)
    if not may_see(session, caller):
        raise UnknownSession(f"This notebook has no session {session_id!r}.")
    return session


def may_read_traffic(session: Session, caller: Caller) -> None:
    """Check that the caller may read the traffic: users always, a kernel if it made the session."""
    if not may_see(session, caller):
        raise UnknownSession(f"This notebook has no session {session.session_id!r}.")
    if isinstance(caller, KernelCaller) and session.kernel_id != caller.kernel_id:
        raise NotAllowed(
            "This session was not started by this kernel, so only the user may read its traffic. "
            "Export it as Markdown, HTML or JSON."
        )


def require_user(caller: Caller, action: str) -> UserCaller:
    """Return the user; refuse a kernel, and so any code that runs in it."""
    if not isinstance(caller, UserCaller):
        raise NotAllowed(f"Only the user can {action}: do it in the page.")
    return caller


def sender(caller: Caller) -> str:
    """Return the user who answers requests of the caller's prompts; empty if any user may.

    A kernel's user is unknown, and the server's owner has no name.
    """
    return caller.person if isinstance(caller, UserCaller) else ""


def require_sender(session: Session, turn_id: str | None, caller: Caller, action: str) -> str:
    """Check that the caller sent the prompt of a turn; return the caller's name.

    Others can see its requests and stop the turn, as stopping allows nothing.
    """
    require_user(caller, action)
    turn = session.transcript.turns.get(turn_id or "")
    person = sender(caller)
    if person and turn is not None and turn.user not in {"", person}:
        raise NotAllowed(
            f"Only {turn.user}, who sent this prompt, can {action}. You can see it, and stop it."
        )
    return person


class NotebookLookup(Protocol):
    """Looks up notebooks in pages and kernels, for the dispatcher."""

    def holds(self, path: str) -> bool:
        """Whether a page has that notebook open."""

    async def cells(self, path: str) -> tuple[Cell, ...]:
        """Cells of a notebook as a page shows them; none if no page answers."""

    async def contexts(self, path: str) -> tuple[Cell, ...]:
        """Cells of a notebook, in a page or else in its file; only pinned ones have content."""

    def kernel_of(self, notebook_path: str) -> str:
        """Id of the kernel that runs for a notebook, or an empty string."""
