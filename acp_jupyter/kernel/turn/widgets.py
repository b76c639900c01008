"""`TurnWidget` and its parts: a turn, or the newest of a session, as ipywidgets.

All use one anywidget module, which draws the part named by ``part``. `acp_jupyter.widgets` has the
public names.
"""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable, Collection
from typing import Any, ClassVar

import traitlets
from ipywidgets import CallbackDispatcher

from acp_jupyter.errors import AcpError
from acp_jupyter.kernel.execution_context import execution_context
from acp_jupyter.kernel.turn.acp_widget import (
    AcpWidget,
    Part,
    SessionSource,
    TurnSource,
    is_turn,
    turn_traits,
)
from acp_jupyter.kernel.turn.display import bundle_of
from acp_jupyter.kernel.turn.feed import (
    Follower,
    follow,
    load_diffs,
    unfollow,
    wait_for_first_update,
)
from acp_jupyter.transcript.output.record import RUNS_KEY, TURN_MIME
from acp_jupyter.transcript.view import EMPTY, NAMES, TurnView, Values, markdown_of


class TurnWidget(AcpWidget):
    """One turn, live, with its buttons, for any layout.

    Its traits follow the turn and are read-only. They change at most ten times a second, in a
    thread of their own, also while a cell runs; at the end of a turn ``status`` changes last.
    ``status`` and ``stop_reason`` are in the page as well (``jslink``). The others are in the
    kernel alone, since a notebook can save what the page has.

    Parameters
    ----------
    source
        A `Turn`; or a `Session`, whose running turn is shown, else its newest.

    Attributes
    ----------
    status
        ``queued``, ``running``, ``requires_action`` or ``done``; empty before there is a turn.
    text
        The agent's answer, Markdown.
    thoughts
        The agent's reasoning, Markdown.
    plan
        The newest plan: ``content``, ``priority`` and ``status`` of each entry.
    tool_calls
        ``tool_call_id``, ``title``, ``description``, ``kind``, ``status``, ``paths``,
        ``started_at``, ``ended_at`` (seconds since the epoch, or None) and ``parent_id`` of each
        tool call.
    diffs
        ``path``, ``old_text``, ``new_text``, ``is_new_file``, ``added`` and ``removed`` (lines, or
        None) of each change: while the turn runs, the changes that the agent reports; at its end,
        the files that differ.
    pending
        The requests that wait for an answer: ``kind`` (``permission``, ``elicitation`` or
        ``trust``), ``request_id``, ``title``, ``description`` and the names of its ``options``.
        Only a button in the page answers them.
    usage
        The session's context: ``used`` and ``size`` in tokens, ``cost_amount`` and
        ``cost_currency``; None if the agent does not report it.
    stop_reason
        A stop reason of ACP, or ``error``; None while the turn runs.
    error
        Why it failed; else empty.

    Examples
    --------
    >>> widget = session.prompt("Tidy up the README").widget
    >>> widget.observe(lambda change: print(change.new), "status")
    >>> widget.on_done(lambda widget: print(len(widget.tool_calls), "tool calls"))
    """

    status = traitlets.Unicode("", read_only=True).tag(sync=True)
    text = traitlets.Unicode("", read_only=True)
    thoughts = traitlets.Unicode("", read_only=True)
    plan = traitlets.Tuple((), read_only=True)
    tool_calls = traitlets.Tuple((), read_only=True)
    diffs = traitlets.Tuple((), read_only=True)
    pending = traitlets.Tuple((), read_only=True)
    usage = traitlets.Dict(None, allow_none=True, read_only=True)
    stop_reason = traitlets.Unicode(None, allow_none=True, read_only=True).tag(sync=True)
    seen_status = traitlets.Unicode(
        None, allow_none=True, help="The status that a page has seen; None where none is to say so."
    ).tag(sync=True)
    words = traitlets.Unicode(
        "", read_only=True, help="The finished turn as Markdown, for pages that marimo exports."
    ).tag(sync=True)
    error = traitlets.Unicode("", read_only=True)

    _from_page: ClassVar[frozenset[str]] = frozenset({"seen_status"})

    def __init__(self, source: TurnSource | SessionSource) -> None:
        self._done = CallbackDispatcher()
        self._asked = CallbackDispatcher()
        self._lock = threading.RLock()
        """Guards the traits' thread against threads that add callbacks."""
        self._ended = ""
        """Id of the turn whose end was reported last."""
        self._announced: frozenset[str] = frozenset()
        """Ids of the reported requests in ``pending``."""
        self._source = source
        self._follower: Follower | None = None
        self._shown = ""
        """Id of the turn in the traits."""
        for name, value in EMPTY.items():
            self.set_trait(name, value)  # else the first value would count as a change
        client = source._client
        if not is_turn(source):
            super().__init__(client, source.id)
            wait_for_first_update(self._follow())
            self._let_pages_say_what_they_see()
            return
        detail = source._current()
        super().__init__(client, source.session_id, **turn_traits(detail))
        turn = TurnView(detail.turn, detail.items)
        turn.use(detail.session)
        if detail.turn.status == "done":
            load_diffs(client, turn)
        self._publish(source.id, turn.changed(), False)
        self._let_pages_say_what_they_see()
        if detail.turn.status != "done":
            self._follow()

    def _let_pages_say_what_they_see(self) -> None:
        """Run cells again that depend on this, where what a page changes does: in marimo."""
        if execution_context().frontend == "marimo":
            self.seen_status = self.status
            self._update_text()

    def _update_text(self) -> None:
        """Put the finished turn into what marimo exports of this."""
        if self.seen_status is not None and self.status == "done":
            known = {name: getattr(self, name) for name in EMPTY}
            whole = self._words().get("text/markdown", "") if self.part == "turn" else ""
            self.set_trait("words", whole or markdown_of(self.part, known))

    def _follow(self) -> Follower:
        follower = self._follower = Follower(self.turn_id, self._publish, self._end)
        follow(self._client, self.session_id, follower)
        return follower

    def on_done(self, callback: Callable[[TurnWidget], object], remove: bool = False) -> None:
        """Call ``callback(widget)`` when the turn is done; at once if it is already.

        For a session's widget, at the end of each turn.

        Parameters
        ----------
        callback
            The function to call.
        remove
            Whether to remove the callback instead.
        """
        with self._lock:
            self._done.register_callback(callback, remove=remove)
            late = not remove and bool(self._ended and self.turn_id)
        if late:
            callback(self)

    def on_permission(
        self, callback: Callable[[TurnWidget, dict[str, Any]], object], remove: bool = False
    ) -> None:
        """Call ``callback(widget, request)`` for each new permission request.

        The request is as in ``pending``. It is answered in the page, never by code.

        Parameters
        ----------
        callback
            The function to call.
        remove
            Whether to remove the callback instead.
        """
        with self._lock:
            self._asked.register_callback(callback, remove=remove)
            late = () if remove else self._permissions(self._announced)
        for request in late:
            callback(self, request)

    def close(self) -> None:
        """Remove the widget from all pages; its traits no longer change."""
        if self._follower is not None:
            unfollow(self._follower)
        super().close()

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """Return the view, and beside it the turn as text for where there is no widget."""
        shown = super()._repr_mimebundle_(**kwargs)
        return None if shown is None else (shown[0] | self._words(), shown[1] | self._mark())

    def _words(self) -> dict[str, Any]:
        """Return the present turn as text."""
        if not self._shown:
            return {}
        try:
            bundle = bundle_of(self._client.turn(self._shown))
        except AcpError:
            return {}
        return {name: words for name, words in bundle.data.items() if name != TURN_MIME}

    def _mark(self) -> dict[str, Any]:
        """Return the output's metadata, by which a page finds the turn."""
        whole = self.part == "turn" and self.turn_id
        return {RUNS_KEY: {self.turn_id: self.session_id}} if whole else {}

    # -- called by the feed ----------------------------------------------------

    def _publish(self, turn_id: str, changed: Values, whole: bool) -> Callable[[], None]:
        """Update the traits; return a function that calls the callbacks.

        An observer that fails stops neither the others nor the traits that follow.
        """
        values = {**EMPTY, **changed} if whole else changed
        steps = [(name, values[name]) for name in NAMES if name in values]
        if self._shown != turn_id and values.get("status") == "done" and self._has_first_update():
            steps.insert(0, ("status", "running"))  # so that its end is a change
        self._shown = turn_id
        for name, value in steps:
            try:
                self._in_context(self.set_trait, name, value)
            except Exception:  # noqa: BLE001 - of the user's own code
                traceback.print_exc()
        self._in_context(self._update_text)
        with self._lock:
            asked = frozenset(request["request_id"] for request in self.pending)
            fresh = self._permissions(asked - self._announced)
            self._announced = asked
            done = self.status == "done"
            # Turns that ended before the widget existed don't call the callbacks.
            ends = done and self._ended != turn_id and self._has_first_update()
            self._ended = turn_id if done else ""
            on_permission = CallbackDispatcher(callbacks=list(self._asked.callbacks))
            on_done = CallbackDispatcher(callbacks=list(self._done.callbacks))

        def tell() -> None:
            for request in fresh:
                on_permission(self, request)
            if ends:
                on_done(self)

        return lambda: self._in_context(tell)

    def _in_context(self, call: Callable[..., None], *values: object) -> None:
        """Call in the feed's thread what may send to the page."""
        if self._context is None:
            call(*values)
        else:
            self._context.copy().run(call, *values)

    def _has_first_update(self) -> bool:
        return self._follower is not None and (
            bool(self.turn_id) or self._follower.updated.is_set()
        )

    def _permissions(self, ids: Collection[str]) -> tuple[dict[str, Any], ...]:
        """Return the permission requests of these ids that wait."""
        return tuple(
            request
            for request in self.pending
            if request["kind"] == "permission" and request["request_id"] in ids
        )

    def _end(self, error: AcpError) -> None:
        """Handle the end of the session or its host."""
        if self.status == "done":
            return
        gone = {"error": error.message, "stop_reason": "error", "status": "done", "pending": ()}
        self._publish(self._shown, gone, False)()


class TextWidget(TurnWidget):
    """The answer alone, as it comes."""

    _part: ClassVar[Part] = "text"


class PlanWidget(TurnWidget):
    """The plan alone, as a checklist."""

    _part: ClassVar[Part] = "plan"


class ToolCallsWidget(TurnWidget):
    """The tool calls alone, each with what it did."""

    _part: ClassVar[Part] = "tool_calls"


class DiffsWidget(TurnWidget):
    """The changed files alone, each with its diff."""

    _part: ClassVar[Part] = "diffs"


class PermissionWidget(TurnWidget):
    """What waits for an answer, with its buttons; one line while nothing does."""

    _part: ClassVar[Part] = "permission"
