"""The output of a turn in its cell or in a terminal: its start, its progress and its end."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING

from acp_jupyter.errors import AcpError
from acp_jupyter.kernel.turn.display import (
    TurnPrinter,
    end_widget,
    first_bundle,
    unanswered,
    wants_widget,
)
from acp_jupyter.system.printing import echo
from acp_jupyter.transcript.output.bundle import Bundle

if TYPE_CHECKING:
    from acp_jupyter.kernel.execution_context import ExecutionContext
    from acp_jupyter.kernel.turn.acp_widget import AcpWidget
    from acp_jupyter.kernel.turn.text_fallback import TextFallback
    from acp_jupyter.kernel.turn.turn import Turn

_FOLLOW_SECONDS = 20.0
_JOIN_SECONDS = 5.0


def show_beginning(turn: Turn, cell: ExecutionContext) -> None:
    """Show the start of the turn; the output is updated while the turn runs."""
    if cell.frontend == "terminal":
        echo(f"Turn {turn.id[:8]} runs in the background: _acp.wait() waits for it.")
        return
    start = turn._detail
    widget = _widget(turn) if wants_widget(start, cell.can_ask) else None
    first = first_bundle(start, widget) if cell.goes_on else _OUTLASTS
    _display(first, turn, update=False)
    if cell.frontend == "voila":
        turn._widget = widget  # it also shows the end: Voilà updates widgets, but no other outputs
        return
    unseen = None
    if widget is not None:
        from acp_jupyter.kernel.turn.text_fallback import TextFallback

        unseen = TextFallback(turn._client)
    turn._finish_output = BackgroundOutput(turn, widget, unseen, is_run=not cell.goes_on).finish


_OUTLASTS_WORDS = (
    "The run of this notebook ended before this turn, so its end is not here. Wait for it in a "
    "later cell, for example with _acp.wait()."
)
_OUTLASTS = Bundle(
    data={
        "text/markdown": f"*{_OUTLASTS_WORDS}*".replace("_acp", "\\_acp"),
        "text/plain": _OUTLASTS_WORDS,
    },
    metadata={},
)
"""The output of a turn that a run has started, until its end replaces it."""


def _widget(turn: Turn) -> AcpWidget:
    from acp_jupyter.kernel.turn.acp_widget import cell_widget  # anywidget, when it is needed

    return cell_widget(turn)


class BackgroundOutput:
    """The output of a turn that its cell does not wait for: shows the end if no page does."""

    def __init__(
        self, turn: Turn, widget: AcpWidget | None, unseen: TextFallback | None, *, is_run: bool
    ) -> None:
        self._turn = turn
        self._widget = widget
        self._unseen = unseen
        self._is_run = is_run
        self._follower = threading.Thread(
            target=self._follow, name="acp-background-turn", daemon=True
        )
        self._follower.start()

    def finish(self) -> None:
        """Return once the end of the turn, which is over, is shown."""
        self._follower.join(_JOIN_SECONDS)
        if self._is_run:
            # nbclient only accepts updates from the running cell: one between two cells is lost.
            _display(self._turn.bundle(), self._turn, update=True)

    def _follow(self) -> None:
        turn, unseen = self._turn, self._unseen
        detail = turn._detail
        try:
            while detail.turn.status != "done":
                seconds = _FOLLOW_SECONDS if unseen is None else unseen.look_seconds
                detail = turn._client.turn(turn.id, seconds)
                if unseen is not None and (bundle := unseen.news(detail)) is not None:
                    _display(bundle, turn, update=True)
            while unanswered(detail):
                detail = turn._client.turn(turn.id, _FOLLOW_SECONDS)
        except AcpError:
            return
        finally:
            if self._widget is not None:
                end_widget(self._widget)
        if not detail.page_holds_notebook and detail.bundle is not None:
            _display(detail.bundle, turn, update=True)


def show_in_terminal(turn: Turn) -> None:
    """Print a turn while it is waited for."""
    screen = TurnPrinter()
    try:
        turn._wait(None, screen.show)
        turn._wait_for_late_text()
    finally:
        screen.show(turn._detail)


def show_in_notebook(turn: Turn, cell: ExecutionContext) -> None:
    """Show a turn while it is waited for."""
    shown = ShownTurn(turn, cell)
    try:
        shown.begin()
        turn._wait(None, None)
        turn._wait_for_late_text()
    except KeyboardInterrupt:
        turn.stop_soon()  # before the last look at it below
        raise
    finally:
        shown.end()


class ShownTurn:
    """The output of a turn that is waited for in a notebook."""

    def __init__(self, turn: Turn, cell: ExecutionContext) -> None:
        self._turn = turn
        self._cell = cell
        self._start = turn._detail
        page = self._start.page_holds_notebook
        # Without a user it is shown only once, as nbval and others use the first display.
        self._updates = cell.updates and (page or cell.can_ask)
        self._stack = contextlib.ExitStack()

    def begin(self) -> None:
        """Show the present turn, live if possible."""
        turn, cell, start = self._turn, self._cell, self._start
        widget = None
        if cell.updates and wants_widget(start, cell.can_ask):
            widget = _widget(turn)
            self._stack.callback(end_widget, widget)
            if self._updates and not turn._client.may_answer:
                from acp_jupyter.kernel.turn.text_fallback import hint_while_waiting

                self._stack.enter_context(hint_while_waiting(turn.id, turn.session_id))
        if self._updates:
            _display(first_bundle(start, widget), turn, update=False)

    def end(self) -> None:
        """Show its end."""
        turn, page = self._turn, self._start.page_holds_notebook
        with self._stack:
            # A page that holds the notebook puts the final output in, also after a reload.
            page_shows = page and turn._detail.page_holds_notebook
            if not (self._updates and page_shows):
                _display(turn.bundle(), turn, update=self._updates)


def _display(bundle: Bundle, turn: Turn, *, update: bool) -> None:
    from IPython.display import display

    display(  # type: ignore[no-untyped-call]
        dict(bundle.data),
        metadata=dict(bundle.metadata),
        raw=True,
        display_id=turn.id,
        update=update,
    )
