"""Going back to before a turn: reverts the files, and creates a session that continues from there.

The protocol has no request to take turns back. So the session stays unchanged, and a new one with
the conversation before the turn replaces it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeAlias

from acp_jupyter.api.access import Caller, may_see, visible_session
from acp_jupyter.api.commands.changes.changes import ChangeCommands
from acp_jupyter.api.models.command_row import handles
from acp_jupyter.api.models.sessions import RewindReply
from acp_jupyter.api.models.turns import RevertTurn
from acp_jupyter.errors import (
    BadRequest,
    ChangesGone,
    ChangesRefused,
    SessionImported,
    UnknownTurn,
)
from acp_jupyter.features.history.commands import RewindSession, UndoRewind
from acp_jupyter.features.history.turn_order import began_at, in_order
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.host.store.log_copy import UpToTurn
from acp_jupyter.host.workspace.operations.operation import FolderOperation
from acp_jupyter.protocol.formatting import first_names
from acp_jupyter.protocol.host_events.notes import HostNotice
from acp_jupyter.protocol.host_events.session import (
    RevertedTurn,
    RulesChanged,
    SessionContinued,
)
from acp_jupyter.transcript.escaping import one_line
from acp_jupyter.transcript.model.session_state import SessionState, TurnState

_STOP_SECONDS = 30.0
_PROMPT_CHARS = 60
_NAMED = 5


class RewindCommands:
    """Carries out ``rewind_session`` and ``undo_rewind``. Lives on the host's loop."""

    def __init__(self, host: AgentHost, changes: ChangeCommands) -> None:
        self._host = host
        self._changes = changes

    @handles(RewindSession)
    async def rewind(self, command: RewindSession, caller: Caller) -> RewindReply:
        """Go back to before a turn, in files and in the agent's memory; all of it or nothing."""
        session = visible_session(self._host, command.session_id, caller)
        return await self._owned(lambda held: self._rewind(session, command, caller, held))

    @handles(UndoRewind)
    async def undo(self, command: UndoRewind, caller: Caller) -> RewindReply:
        """Continue the earlier session again, with its files; all of it or nothing.

        Changes by turns of this session are reverted.
        """
        session = visible_session(self._host, command.session_id, caller)
        return await self._owned(lambda held: self._undo(session, command, caller, held))

    async def _owned(self, work: _Work) -> RewindReply:
        """Run some work to its end, even if the caller disconnects: it must not be half done."""
        return await self._host.operations.own(_holding(work))

    async def _rewind(
        self, session: Session, command: RewindSession, caller: Caller, held: _HeldSessions
    ) -> RewindReply:
        held.add(session)
        self._require_free(session)
        first = session.transcript.turns.get(command.turn_id)
        if first is None or not first.was_sent:
            raise BadRequest("This session has had no such turn.")
        others = await self._others(command.also, first, caller)
        await self._stop(session)
        earlier, own = _split(session, first)
        back = in_order([*((session, turn) for turn in own), *others])
        concerned = back if command.files else []
        roots = [await self._hold(turn, caller, held) for turn in concerned]
        end = UpToTurn(first.turn_id, frozenset(turn.turn_id for turn in earlier))

        async def work(operation: FolderOperation) -> tuple[Session, _Reverting]:
            reverting = _Reverting(self._host, self._changes, operation, caller)
            for turn in reversed(concerned):
                await reverting.revert(turn)
            made = await self._host.sessions.branch(
                session,
                end,
                reverting.reverted,
                operation,
                files=command.files,
                also=command.also if command.files else (),
            )
            reverting.words = _done(
                first, bool(earlier), reverting.paths, reverting.left, files=command.files
            )
            made.journal.note(HostNotice(text=reverting.words, offers="undo_rewind"))
            await self._host.sessions.save(made)
            operation.note(session.journal, SessionContinued(session_id=made.session_id))
            operation.note(session.journal, HostNotice(text=_CONTINUES.format(_quoted(first))))
            return made, reverting

        made, reverting = await self._host.operations.run(filter(None, roots), work)
        self._host.sessions.add(made)
        await self._host.sessions.save(made)
        await self._host.sessions.save(session)
        return RewindReply(
            session=made.state,
            turns=len(back),
            paths=reverting.paths,
            left=tuple(dict.fromkeys(reverting.left)),
            words=reverting.words,
        )

    async def _undo(
        self, session: Session, command: UndoRewind, caller: Caller, held: _HeldSessions
    ) -> RewindReply:
        held.add(session)
        self._require_free(session)
        branch, reverted = session.state.branch, session.state.reverted
        if branch is None:
            raise BadRequest("This session did not begin by going back.")
        await self._host.sessions.wake(branch.session_id)
        earlier = visible_session(self._host, branch.session_id, caller)
        held.add(earlier)
        await self._stop(session)
        files = command.files and branch.files
        reverted = reverted if files else ()
        own = _own_turns(session) if files else []
        roots = [await self._hold(turn, caller, held) for turn in own]
        for each in reverted:
            await self._host.sessions.wake_turn(each.turn_id)
            held.add(self._host.sessions.of_turn(each.turn_id))
            roots.append(await self._changes.root_of(each.turn_id, caller))

        async def work(operation: FolderOperation) -> None:
            reverting = _Reverting(self._host, self._changes, operation, caller)
            for turn in reversed(own):
                await reverting.revert(turn)
            for each in reversed(reverted):
                await self._changes.revert_in(operation, _put_back(each), caller)
            operation.note(session.journal, SessionContinued(session_id=earlier.session_id))
            operation.note(session.journal, HostNotice(text=_UNDONE))
            operation.note(earlier.journal, SessionContinued())
            operation.note(earlier.journal, HostNotice(text=_GOES_ON))

        await self._host.operations.run(filter(None, roots), work)
        _keep_allowed(session.state, earlier)
        await self._host.sessions.save(session)
        await self._host.sessions.save(earlier)
        turns = _split(earlier, earlier.transcript.turns[branch.turn_id])[1]
        paths = _paths(reverted)
        words = " ".join(filter(None, (_GOES_ON, _files(paths))))
        return RewindReply(session=earlier.state, turns=len(turns), paths=paths, words=words)

    async def _others(
        self, turn_ids: Iterable[str], first: TurnState, caller: Caller
    ) -> list[tuple[Session, TurnState]]:
        """Return the turns of other sessions; they must be later than ``first``, and have ended."""
        found: list[tuple[Session, TurnState]] = []
        began = began_at(self._host.sessions.of_turn(first.turn_id))[first.turn_id]
        for turn_id in turn_ids:
            await self._host.sessions.wake_turn(turn_id)
            session = self._host.sessions.of_turn(turn_id)
            turn = session.transcript.turns[turn_id]
            if not may_see(session, caller):
                raise UnknownTurn("This turn does not belong to this notebook.")
            is_later = turn.session_id != first.session_id and began_at(session)[turn_id] >= began
            if turn.to_be_kept or not is_later:
                raise BadRequest("Name only later turns of other sessions.")
            if turn.status != "done":
                raise ChangesRefused(_RUNS_ELSEWHERE)
            found.append((session, turn))
        return found

    def _require_free(self, session: Session) -> None:
        state = session.state
        if state.variant is not None:
            raise BadRequest("A variant has one turn: there is nothing to go back to.")
        if state.copied:
            raise BadRequest(
                "A session that works in a copy of its folder can't go back. Start a new one: it "
                "gets a new copy."
            )
        if state.read_only or not session.agent.startable:
            raise SessionImported(state.read_only or "This session has no agent to go on with.")
        if self._host.sessions.goes_on_elsewhere(state):
            raise BadRequest(
                "You have already gone back, and the conversation continues in another session. "
                "Continue there, or undo that first."
            )
        if state.queue:
            raise BadRequest("Messages wait in this session. Remove them first.")

    async def _stop(self, session: Session) -> None:
        """Stop the running turn, and wait for its end."""
        turn_id = session.state.active_turn_id
        if turn_id is None:
            return
        session.cancel(turn_id)
        if not await session.journal.wait_turn(turn_id, _STOP_SECONDS):
            raise BadRequest("The turn that runs has not stopped yet. Try again when it has.")

    async def _hold(self, turn: TurnState, caller: Caller, held: _HeldSessions) -> Path | None:
        """Hold the session in which a turn ran, until the turn is reverted; return its folder.

        For a turn that a fork copied, that is the session of the original, which has its changes.
        """
        turn_id = _ran_as(turn)
        await self._host.sessions.wake_turn(turn_id)
        try:
            of = self._host.sessions.of_turn(turn_id)
        except UnknownTurn:
            if turn.changes is None and not turn.changes_unknown:
                return None
            raise ChangesGone(_DELETED) from None
        held.add(of)
        return await self._changes.root_of(turn_id, caller)


def _ran_as(turn: TurnState) -> str:
    return turn.turn_id if turn.copy_of is None else turn.copy_of.turn_id


class _Reverting:
    """Reverts turns in one operation."""

    def __init__(
        self,
        host: AgentHost,
        changes: ChangeCommands,
        operation: FolderOperation,
        caller: Caller,
    ) -> None:
        self._host = host
        self._changes = changes
        self._operation = operation
        self._caller = caller
        self.reverted: list[RevertedTurn] = []
        self.left: list[str] = []
        self.words = ""
        """The message about the result."""

    @property
    def paths(self) -> tuple[str, ...]:
        """The files that were reverted."""
        return _paths(self.reverted)

    async def revert(self, turn: TurnState) -> None:
        """Revert the changes of one turn that are not reverted yet."""
        turn_id = _ran_as(turn)
        try:
            of = self._host.sessions.of_turn(turn_id)
        except UnknownTurn:
            return  # the turn has changed nothing
        done = of.transcript.turns[turn_id]
        changes = done.changes
        if done.changes_unknown:
            raise ChangesGone(f"{done.changes_unknown} {_UNKNOWN}")
        if changes is None:
            return
        if not changes.checkpoint:
            raise ChangesGone(f"{changes.words} That can't be reverted.".strip())
        own = [file for file in changes.files if file.kept and file.is_turns]
        open_ = tuple(file.path for file in own if not file.reverted)
        # Changes by others are neither reverted nor listed as left.
        self.left += [file.path for file in changes.files if file.is_turns and not file.kept]
        self.left += [file.path for file in changes.files if file.author == "unknown"]
        if not open_:
            return
        command = RevertTurn(turn_id=turn_id)
        reply = await self._changes.revert_in(self._operation, command, self._caller)
        paths = tuple(path for path in open_ if path in reply.paths)
        self.left += [path for path in open_ if path not in paths]
        if paths:
            everything = changes.left_out > 0
            self.reverted.append(RevertedTurn(turn_id=turn_id, paths=paths, all_of_it=everything))


class _HeldSessions:
    """Sessions that accept no prompts meanwhile: files can't be reverted while a turn runs."""

    def __init__(self) -> None:
        self._sessions: set[Session] = set()

    def add(self, session: Session) -> None:
        """Hold a session, unless it is held here already."""
        if session in self._sessions:
            return
        if session.turns.queue.going_back:
            raise BadRequest("The session is going back now. Try again when it has.")
        session.turns.queue.going_back = True
        self._sessions.add(session)

    def release(self) -> None:
        """Let the sessions accept prompts again."""
        for session in self._sessions:
            session.turns.queue.going_back = False


def _keep_allowed(now: SessionState, earlier: Session) -> None:
    """Keep the present policy, rules and sandbox, in place of those of the earlier session."""
    then = earlier.state
    if now.policy != then.policy:
        earlier.set_policy(now.policy, now.policy_user)
    if now.sandbox != then.sandbox:
        earlier.set_sandbox(now.sandbox)
    if now.rules != then.rules:
        earlier.journal.note(RulesChanged(rules=now.rules))


_Work: TypeAlias = Callable[[_HeldSessions], Awaitable[RewindReply]]


async def _holding(work: _Work) -> RewindReply:
    held = _HeldSessions()
    try:
        return await work(held)
    finally:
        held.release()


_DELETED = (
    "The changes of a turn are no longer stored, so they can't be reverted. You can go back in the "
    "conversation only."
)
_UNKNOWN = "Files can't go back before it. You can go back in the conversation only."
_RUNS_ELSEWHERE = (
    "A turn is running in another session of this notebook. Wait until it ends, or stop it."
)
_CONTINUES = "Went back to before “{0}”. The conversation continues from there in another session."
_UNDONE = "Going back was undone: the conversation continues in the earlier session."
_GOES_ON = "Going back was undone: the conversation goes on here."
_VARIABLES = "Variables of a kernel stay as they are, and so does what commands did elsewhere."


def _put_back(reverted: RevertedTurn) -> RevertTurn:
    paths = None if reverted.all_of_it else reverted.paths
    return RevertTurn(turn_id=reverted.turn_id, paths=paths, undo=True)


def _split(session: Session, first: TurnState) -> tuple[list[TurnState], list[TurnState]]:
    """Return the turns before one, and that one with all later ones, in order."""
    turns = (session.transcript.turns[turn_id] for turn_id in session.transcript.turn_order)
    sent = [turn for turn in turns if turn.was_sent]
    place = [turn.turn_id for turn in sent].index(first.turn_id)
    return sent[:place], sent[place:]


def _own_turns(session: Session) -> list[TurnState]:
    """Return the session's own turns, without copied ones, in order."""
    turns = (session.transcript.turns[turn_id] for turn_id in session.transcript.turn_order)
    return [turn for turn in turns if turn.copy_of is None and turn.was_sent]


def _paths(reverted: Iterable[RevertedTurn]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(path for each in reverted for path in each.paths))


def _done(
    first: TurnState, remembers: bool, paths: Sequence[str], left: Sequence[str], *, files: bool
) -> str:
    """Return a message about what going back has done, and what it has not."""
    known = (
        "The agent gets the earlier conversation as text."
        if remembers
        else "The agent starts a new conversation."
    )
    unchanged = "Files were left as they are." if not files else ""
    kept = f"Not reverted: {_named(left)}." if left else ""
    said = (f"Went back to before “{_quoted(first)}”.", known, _files(paths), unchanged, kept)
    return " ".join(filter(None, (*said, _VARIABLES)))


def _files(paths: Sequence[str]) -> str:
    if not paths:
        return ""
    then = "is as it was then" if len(paths) == 1 else "are as they were then"
    return f"{_named(paths)} {then}."


def _named(paths: Sequence[str]) -> str:
    return first_names(list(dict.fromkeys(paths)), _NAMED)


def _quoted(turn: TurnState) -> str:
    return one_line(turn.prompt, _PROMPT_CHARS)
