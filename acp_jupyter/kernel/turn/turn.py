"""`Turn`, the Python interface of a prompt turn: wait for it, stream its text, cancel it, show it.

While the main thread waits, the agent's tools may run code in this kernel.
"""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Generator, Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acp_jupyter.api.models.turns import ChangesReply, PromptSession, TurnDetail
from acp_jupyter.errors import (
    AcpError,
    BadRequest,
    ChangesGone,
    NobodyToAsk,
    TurnError,
    TurnTimeout,
)
from acp_jupyter.kernel.atomic_write import atomic_write
from acp_jupyter.kernel.client.host_client import HostClient
from acp_jupyter.kernel.execution_context import execution_context
from acp_jupyter.kernel.turn.display import bundle_of, first_bundle, unanswered
from acp_jupyter.kernel.turn.tool_calls import ToolCalls
from acp_jupyter.kernel.turn.waiting import (
    Asks,
    follow_and_work,
    follow_only,
    in_main_thread,
    thread_asks,
    wait_in_loop,
)
from acp_jupyter.protocol.host_events.session import FileHunks, Hunk
from acp_jupyter.protocol.json import clean_json
from acp_jupyter.protocol.objects import obj, text
from acp_jupyter.transcript.model.items import Artifact, PlanEntry
from acp_jupyter.transcript.model.session_state import TurnState, Usage
from acp_jupyter.transcript.model.tool_items import Diff, Permission, ToolCall
from acp_jupyter.transcript.output.bundle import Bundle
from acp_jupyter.transcript.output.markdown import turn_markdown
from acp_jupyter.transcript.output.plain_text import turn_seconds
from acp_jupyter.transcript.output.record import TURN_MIME
from acp_jupyter.transcript.redactor import Redactor, Scrubber
from acp_jupyter.transcript.view import TurnView

if TYPE_CHECKING:
    from acp_jupyter.kernel.turn.questions import Questions
    from acp_jupyter.kernel.turn.widgets import TurnWidget


_WAIT_SECONDS = 20.0
_POLL_SECONDS = 0.2
"""Interval of polling a turn that may ask questions here, or whose text is printed."""


class Turn:
    """A prompt turn: running, or done.

    Made by ``%%acp`` and by `Session.prompt`. Reading a property updates the turn until it is
    done.

    Parameters
    ----------
    client
        The host.
    detail
        The turn's present state.
    can_ask
        Whether a user can answer permission requests here.
    timeout
        Seconds after which the turn is stopped.
    """

    def __init__(
        self,
        client: HostClient,
        detail: TurnDetail,
        *,
        can_ask: bool = False,
        timeout: float | None = None,
    ) -> None:
        self._client = client
        self._detail = detail
        self._changes: ChangesReply | None = None
        self._can_ask = can_ask
        self._timeout = timeout
        self._timed_out = False
        self._stopped = False
        self._frontend = execution_context().frontend
        self._asking_waits = 0
        self._widget: TurnWidget | None = None
        self._questions: Questions | None = None
        """The questions of the latest wait that may ask."""
        self._finish_output: Callable[[], None] | None = None
        """Shows the end of the turn in the output of a cell that did not wait."""
        self._timer = threading.Timer(timeout or 0, self._stop_at_time_limit)
        self._timer.daemon = True
        if timeout is not None:
            self._timer.start()

    # -- what it has -----------------------------------------------------------

    @property
    def id(self) -> str:
        """The turn's id."""
        return self._detail.turn.turn_id

    @property
    def session_id(self) -> str:
        """The id of its session."""
        return self._detail.turn.session_id

    @property
    def text(self) -> str:
        """The agent's answer, Markdown."""
        return self._view.text

    @property
    def thoughts(self) -> str:
        """The agent's reasoning, Markdown."""
        return self._view.thoughts

    @property
    def tool_calls(self) -> ToolCalls:
        """The tool calls, with those of subagents (``parent_id``), in order.

        A tuple; ``tool_calls.to_frame()`` makes it a DataFrame, ``tool_calls.rows()`` dictionaries.
        """
        return ToolCalls(item for item in self._current().items if isinstance(item, ToolCall))

    @property
    def reported_diffs(self) -> tuple[Diff, ...]:
        """The file changes that the agent reported, made or only proposed."""
        return tuple(diff for call in self.tool_calls for diff in call.diffs)

    @property
    def permissions(self) -> tuple[Permission, ...]:
        """The permission requests with their outcomes."""
        return tuple(call.permission for call in self.tool_calls if call.permission is not None)

    @property
    def plan(self) -> tuple[PlanEntry, ...]:
        """The newest plan."""
        return self._view.plan

    @property
    def artifacts(self) -> tuple[Artifact, ...]:
        """The artifacts that the agent made, in order."""
        return tuple(item for item in self._current().items if isinstance(item, Artifact))

    @property
    def usage(self) -> Usage | None:
        """The session's use of its context, if the agent reports it. ACP: usage_update."""
        return self._current().session.usage

    @property
    def tokens(self) -> int | None:
        """The tokens that this turn used, if the agent reports them."""
        return self._current().turn.tokens

    @property
    def status(self) -> str:
        """``queued``, ``running``, ``requires_action`` or ``done``."""
        return self._current().turn.status

    @property
    def stop_reason(self) -> str | None:
        """How the turn ended: a stop reason of ACP, or ``error``; None while it runs."""
        return self._current().turn.stop_reason or None

    @property
    def duration(self) -> float | None:
        """How many seconds the turn has run so far; None while it is queued."""
        detail = self._current()
        turn = detail.turn
        if turn.started_at is None or turn.ended_at is not None:
            return turn_seconds(turn, detail.items)
        return max(0.0, time.time() - turn.started_at)

    @property
    def done(self) -> bool:
        """Whether the turn has ended."""
        return self._current().turn.status == "done"

    # -- what it changed ---------------------------------------------------------

    @property
    def diffs(self) -> tuple[Diff, ...]:
        """The files that the turn changed; for turns of earlier versions, by any author.

        While the turn runs, and if a file or the folder could not be stored, the changes that the
        agent reported. Binary and very large files have no text here, and no line counts.
        """
        if not self.done:
            return self.reported_diffs
        if self._changes is None:
            self._changes = self._client.changes(self.id)
        if not self._changes.known:
            return self.reported_diffs
        return self._changes.diffs(self._view.reported_diffs)

    @property
    def unknown_paths(self) -> tuple[str, ...]:
        """Files that changed while the turn ran, by an unknown author."""
        if not self.done:
            return ()
        if self._changes is None:
            self._changes = self._client.changes(self.id)
        return tuple(file.path for file in self._changes.files if file.author == "unknown")

    def patch(self) -> str:
        """Return all changes of the turn as one unified diff for ``git apply``.

        Raises
        ------
        ChangesGone
            The turn has not ended, the folder could not be stored, or the patch is too long.
        """
        reply = self._client.changes(self.id, form="patch")
        if reply.patch is None:
            raise ChangesGone(reply.words)
        return reply.patch

    def hunks(self, path: str) -> tuple[Hunk, ...]:
        """Return the changes in a text file, each of which can be kept or reverted alone.

        Parameters
        ----------
        path
            Path of a file in `diffs`.

        Raises
        ------
        BadRequest
            The turn did not change that file, or it is a notebook, whose changes are cells.
        """
        (file,) = self._client.changes(self.id, path).files
        if path.endswith(".ipynb"):
            raise BadRequest(
                f"The changes of {path} are cells. Keep or revert it as a whole, or single cells "
                "in JupyterLab."
            )
        old, new = ((text or "").split("\n") for text in (file.old_text, file.new_text))
        matcher = SequenceMatcher(None, old, new, autojunk=False)
        return tuple(
            Hunk(old_start=old_start, old_end=old_end, new_start=new_start, new_end=new_end)
            for tag, old_start, old_end, new_start, new_end in matcher.get_opcodes()
            if tag != "equal"
        )

    def keep(
        self,
        paths: str | Iterable[str] | None = None,
        *,
        hunks: Mapping[str, Iterable[Hunk]] | None = None,
    ) -> tuple[str, ...]:
        """Put what was changed in a copy into the folder; all of it, or none.

        The turn is a variant, or of a session in the sandbox ``copy``; there, what earlier turns
        changed in the same files is kept with it. `revert` removes it again.

        Parameters
        ----------
        paths
            Paths of files in `diffs`; by default all.
        hunks
            Single changes by path, in place of whole files, as `hunks` returns them. They are
            kept alone, without those of earlier turns.

        Returns
        -------
        tuple of str
            The files.

        Raises
        ------
        BadRequest
            The turn has worked in the folder itself, or has changed no file.
        ChangesRefused
            Some were changed in the same place since the copy was made, or are kept already. Its
            ``detail`` names them.
        """
        chosen = (paths,) if isinstance(paths, str) else paths
        named = None if chosen is None else tuple(chosen)
        return self._client.keep(self.id, named, _file_hunks(hunks)).paths

    def revert(
        self,
        paths: str | Iterable[str] | None = None,
        *,
        hunks: Mapping[str, Iterable[Hunk]] | None = None,
        partial: bool = False,
        unknown: bool = False,
    ) -> tuple[str, ...]:
        """Restore files as they were before the turn; all of them, or none. Return their paths.

        Parameters
        ----------
        paths
            Paths in `diffs` or `unknown_paths`; by default all of `diffs`. The turn's own
            notebook is never reverted, as it is saved while the turn runs.
        hunks
            Single changes by path, in place of whole files, as `hunks` returns them.
        partial
            Whether to revert the others if some files were changed since the turn.
        unknown
            Whether to revert the files of `unknown_paths`, too.

        Raises
        ------
        ChangesRefused
            Some were changed since. Its ``detail`` names them.
        ChangesGone
            Former contents are no longer stored.
        """
        chosen = (paths,) if isinstance(paths, str) else paths
        named = None if chosen is None else tuple(chosen)
        parts = _file_hunks(hunks)
        reply = self._client.revert(self.id, named, hunks=parts, partial=partial, unknown=unknown)
        return reply.paths

    # -- in other forms ----------------------------------------------------------

    def to_markdown(self, *, thoughts: bool = False) -> str:
        """Return the answer with its tool calls as Markdown."""
        detail = self._current()
        return turn_markdown(detail.turn, detail.items, thoughts=thoughts)

    def to_html(self, *, thoughts: bool = False) -> str:
        """Return the turn as one self-contained HTML file.

        Raises
        ------
        MissingPackage
            A package that the format needs is not installed.
        """
        detail = self._current()
        scrubber = Scrubber.of_session(detail.session, Redactor(), str(Path.home()))
        from acp_jupyter.transcript.output.html import html_page

        return html_page(detail.session, [detail.turn], detail.items, scrubber, thoughts=thoughts)

    def share(self, path: str | Path, *, thoughts: bool = False, force: bool = False) -> Path:
        """Write the turn as one HTML file, as JupyterLab shows it; it plays in steps.

        Parameters
        ----------
        path
            Path of the new file.
        thoughts
            Whether the agent's reasoning is part of it.
        force
            Whether a file that is there is replaced.

        Raises
        ------
        BadRequest
            The file is there already, or can't be written.
        """
        page = self._client.shared_page(self.session_id, self.id, thoughts=thoughts)
        atomic_write(Path(path), [page.encode()], force=force)
        return Path(path)

    def to_dict(self) -> dict[str, Any]:
        """Return the turn and its items as JSON-able values."""
        detail = self._current()
        return detail.model_dump(mode="json", include={"turn", "items"})

    # -- what one does with it -------------------------------------------------

    def wait(self, timeout: float | None = None) -> Turn:
        """Wait for the end and return the turn itself.

        If the host is in this kernel and a user is there, permission requests are asked here. In a
        program at a terminal, threads that you start ask, too; in a notebook and in IPython their
        requests are refused. Interrupting the kernel stops the turn.

        Parameters
        ----------
        timeout
            Longest wait in seconds. The turn goes on after it.

        Raises
        ------
        TimeoutError
            The turn has not ended by then.
        NobodyToAsk
            The agent made a request, and nobody could be asked.
        TurnError
            The turn ended in another error.
        """
        self._wait(timeout, None)
        self.raise_for_error()
        return self

    def stream(self) -> TextStream:
        """Return the answer piece by piece as it comes, for ``for`` and ``async for``."""
        return TextStream(self)

    def __await__(self) -> Generator[Any, None, Turn]:
        return self._awaited().__await__()

    async def _awaited(self) -> Turn:
        await wait_in_loop(self)
        await asyncio.to_thread(self.raise_for_error)
        return self

    def steer(self, words: str) -> bool:
        """Send the agent a message while the turn runs, without stopping anything.

        Returns
        -------
        bool
            Whether the agent took it. Then the turn continues under its own policy. Otherwise the
            message is queued, and sent when the turn has ended.

        Raises
        ------
        BadRequest
            The turn does not run.
        EmptyPrompt
            There is nothing to say.
        """
        if self.status not in {"running", "requires_action"}:
            raise BadRequest("This turn does not run. Send a prompt in its place.")
        message = PromptSession(
            session_id=self.session_id,
            prompt=clean_json(words),
            can_ask=execution_context().can_ask,
        )
        return self._client.steer(message)

    def cancel(self) -> None:
        """Stop the turn, running or queued; open permission requests are answered ``cancelled``."""
        if not self.done:
            self._client.cancel(self.session_id, self.id)

    def raise_for_error(self) -> None:
        """Raise the turn's error, if it ended in one.

        Raises
        ------
        TurnTimeout
            The turn took longer than its time limit.
        NobodyToAsk
            A permission was refused because nobody could be asked.
        TurnError
            Any other error.
        """
        if not self.done:
            return
        # Scrubbed as for saving, as the error is saved in the notebook, too.
        turn = obj(obj(self.bundle().data[TURN_MIME]).get("turn"))
        if self._timed_out and turn.get("stop_reason") == "cancelled":
            raise TurnTimeout(f"The turn took longer than {self._timeout:g} s and was stopped.")
        if turn.get("stop_reason") != "error":
            return
        failure = obj(turn.get("failure"))
        message, detail = (text(failure.get(name)) for name in ("message", "detail"))
        kind = NobodyToAsk if failure.get("reason") == NobodyToAsk.reason else TurnError
        raise kind(message or text(turn.get("words")), detail)

    @property
    def updates(self) -> Iterator[Any]:
        """What the agent has said so far, as models of the protocol's SDK, in their order.

        They are those of ``session/update``: `acp.schema.AgentMessageChunk`, `ToolCallStart` and
        so on. They are read from the session's log as they are asked for, each time from the
        turn's beginning. One that no model takes comes as a dict.

        Raises
        ------
        NotAllowed
            Another kernel made the session, or its user.
        """
        from acp_jupyter.kernel.turn.updates import updates_of

        return updates_of(self._client.traffic(self.session_id), self.id)

    @property
    def widget(self) -> TurnWidget:
        """The turn as an ipywidget, with its permission buttons, for any layout."""
        if self._widget is None:
            from acp_jupyter.kernel.turn.widgets import TurnWidget

            self._widget = TurnWidget(self)
        return self._widget

    def bundle(self) -> Bundle:
        """Return the present turn as notebook output, without a widget."""
        return bundle_of(self._current())

    def __repr__(self) -> str:
        turn, agent = self._state(), self._detail.session.agent_info
        end = f", {turn.stop_reason}" if turn.stop_reason else ""
        return f"<Turn {self.id[:8]} of {agent.id}: {turn.status}{end}>"

    def _display_(self) -> object:
        """Return marimo's output for the turn; it is also in exports if the turn is done."""
        if execution_context().goes_on:
            return self.widget
        self._wait(None, None)
        return sys.modules["marimo"].md(str(self.bundle().data["text/markdown"]))

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the turn for display; with a live widget while it runs."""
        bundle = self.bundle()
        if not self.done:
            # Our renderer draws a live view only in the turn's own cell.
            live = self._can_ask and not (self._detail.page_holds_notebook and self._in_own_cell())
            bundle = first_bundle(self._detail, self.widget if live else None)
        return dict(bundle.data), dict(bundle.metadata)

    # -- within ----------------------------------------------------------------

    def _in_own_cell(self) -> bool:
        origin, cell = self._detail.turn.origin, execution_context()
        return origin is not None and bool(cell.cell_id) and cell.cell_id == origin.cell_id

    def _state(self) -> TurnState:
        """Return the turn's present state; the last known one if the host has exited."""
        turn = self._detail.turn
        if turn.status == "done":
            return turn
        try:
            return self._client.turn_state(self.id)
        except AcpError:
            return turn

    @property
    def _view(self) -> TurnView:
        """The present items."""
        detail = self._current()
        return TurnView(detail.turn, detail.items)

    def _current(self) -> TurnDetail:
        if self._detail.turn.status != "done":
            self._detail = self._client.turn(self.id)
        else:
            self._timer.cancel()
        return self._detail

    @property
    def _asks_here(self) -> bool:
        """Whether the agent's requests are answered in this process."""
        return self._client.may_answer and self._can_ask

    def _wait(
        self,
        timeout: float | None,
        watch: Callable[[TurnDetail], None] | None,
        asks: Asks | None = None,
        *,
        is_new: bool = True,
    ) -> None:
        """Wait for the end; call ``watch`` with the turn on the way.

        ``is_new`` is False if this continues an earlier wait.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        asks = (asks or thread_asks(self._frontend)) if self._asks_here else "leaves"
        longest = _WAIT_SECONDS if asks == "leaves" and watch is None else _POLL_SECONDS
        follow = follow_and_work if in_main_thread() else follow_only
        if asks == "asks":
            self._asking_waits += 1
            if is_new or self._questions is None:
                self._begin_asking()
        try:
            while self._detail.turn.status != "done":
                left = longest if deadline is None else min(longest, deadline - time.monotonic())
                if left < 0:
                    raise TimeoutError(
                        f"The turn has not ended within {timeout:g} s; it is still running."
                    )
                if (detail := follow(self._client, self.id, left)) is None:
                    continue
                self._detail = detail
                if watch is not None:
                    watch(self._detail)
                self._attend(asks)
        except KeyboardInterrupt:
            self.stop_soon()
            raise
        finally:
            self._asking_waits -= asks == "asks"
        if self._finish_output is not None:
            self._finish_output()  # so that what follows can't overtake it

    def _wait_for_late_text(self) -> None:
        """Wait until a stopped agent has answered, as it may send text until then.

        Not if a page has the notebook open, as the page adds later text itself.
        """
        deadline = time.monotonic() + _WAIT_SECONDS
        while unanswered(self._detail) and time.monotonic() < deadline:
            self._detail = self._client.turn(self.id, _WAIT_SECONDS)

    def stop_soon(self, seconds: float = 2.0) -> None:
        """Stop the turn and wait a little for its end, once; never raises an error of the host."""
        if self._stopped or self._detail.turn.status == "done":
            return
        self._stopped = True
        try:
            self._client.cancel(self.session_id, self.id)
            self._detail = self._client.turn(self.id, seconds)
        except AcpError:
            return

    def _is_refused(self, asks: Asks) -> bool:
        """Return whether nobody can be asked, not even by another wait or a widget's buttons."""
        elsewhere = self._asking_waits or self._widget or self._finish_output
        return asks == "refuses" or (asks == "defers" and not elsewhere)

    def _attend(self, asks: Asks) -> None:
        """Handle the turn's open requests."""
        if asks == "asks":
            self._answer_requests()
        elif self._is_refused(asks) and self._is_pending():
            self._client.cancel(self.session_id, self.id, "nobody")

    def _answer_requests(self) -> None:
        questions = self._questions or self._begin_asking()
        with _asking:  # one question at a time
            questions.ask(self._detail)

    def _begin_asking(self) -> Questions:
        from acp_jupyter.kernel.turn.questions import Questions

        self._questions = Questions(self._client, self.id)
        return self._questions

    def _is_pending(self) -> bool:
        """Return whether something waits for an answer."""
        from acp_jupyter.kernel.turn.questions import pending_request

        return pending_request(self._detail) is not None

    def _stop_at_time_limit(self) -> None:
        try:
            if not self.done:
                self._timed_out = True
                self._client.cancel(self.session_id, self.id, "time_limit")
        except AcpError:
            return


def _file_hunks(hunks: Mapping[str, Iterable[Hunk]] | None) -> tuple[FileHunks, ...]:
    return tuple(FileHunks(path=path, hunks=tuple(some)) for path, some in (hunks or {}).items())


_asking = threading.Lock()
_STREAM_SECONDS = 0.1


class TextStream:
    """The pieces of a turn's answer, for ``for`` and ``async for``. Made by `Turn.stream`.

    Joined, they are the turn's ``text``. Ending the loop early does not stop the turn. At the end,
    an error of the turn is raised, as by `Turn.wait`.
    """

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self._given = 0
        self._is_new = True

    def __iter__(self) -> Iterator[str]:
        while True:
            done = self._poll()
            if piece := self._piece():
                yield piece
            if done:
                self._turn.raise_for_error()
                return

    async def __aiter__(self) -> AsyncIterator[str]:
        while True:
            done = await wait_in_loop(self._turn, _STREAM_SECONDS)
            if piece := self._piece():
                yield piece
            if done:
                await asyncio.to_thread(self._turn.raise_for_error)
                return

    def _poll(self) -> bool:
        """Wait a little; return whether the turn has ended."""
        try:
            self._turn._wait(_STREAM_SECONDS, None, is_new=self._is_new)
        except TimeoutError:
            return False
        finally:
            self._is_new = False
        return True

    def _piece(self) -> str:
        detail = self._turn._detail
        whole = TurnView(detail.turn, detail.items).text
        piece = whole[self._given :]
        self._given = max(self._given, len(whole))
        return piece
