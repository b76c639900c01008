"""Displays a turn as the output of a cell, maybe with a widget, and as text in a terminal."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Any, Protocol

from pydantic import JsonValue

from acp_jupyter.api.models.turns import TurnDetail
from acp_jupyter.system.printing import echo
from acp_jupyter.transcript.escaping import one_line, without_ansi
from acp_jupyter.transcript.model.items import AgentMessage, ErrorItem, Item, TurnEnd
from acp_jupyter.transcript.model.tool_items import ToolCall
from acp_jupyter.transcript.output.bundle import Bundle, build_bundle
from acp_jupyter.transcript.output.plain_text import ANSWERED, duration_text


def wants_widget(detail: TurnDetail, can_ask: bool) -> bool:
    """Return whether a widget should show the running turn.

    Not if a page with the labextension has the notebook open, whose renderer draws the turn, and
    not in a notebook without a user.
    """
    return can_ask and not detail.page_holds_notebook


class Shown(Protocol):
    """A widget."""

    def _repr_mimebundle_(self) -> tuple[dict[str, Any], dict[str, Any]] | None: ...

    def _finish(self) -> None: ...

    def close(self) -> None:
        """Close the widget and its views."""


def first_bundle(detail: TurnDetail, widget: Shown | None) -> Bundle:
    """Return the first output of a running turn."""
    bundle = build_bundle(detail.turn, (), detail.session, home=str(Path.home()))
    if widget is None and detail.page_holds_notebook:
        return bundle
    # Without the MIME type of turns: pages would prefer its smaller view to the widget.
    words = _with_place(bundle, detail)
    view = None if widget is None else widget._repr_mimebundle_()
    if view is None:
        return Bundle(data=words, metadata=bundle.metadata)
    data, metadata = view
    return Bundle(data={**data, **words}, metadata={**metadata, **bundle.metadata})


def bundle_of(detail: TurnDetail) -> Bundle:
    """Return a turn as notebook output, as it is now and without a widget."""
    bundle = detail.bundle
    if bundle is None:
        bundle = build_bundle(detail.turn, detail.items, detail.session, home=str(Path.home()))
    if not unanswered(detail):
        return bundle
    words = (
        "The agent had not answered the stop yet. What it still says is in session "
        f"{detail.session.session_id[:8]}."
    )
    return Bundle(data={**bundle.data, **_with_words(bundle, words)}, metadata=bundle.metadata)


def unanswered(detail: TurnDetail) -> bool:
    """Return whether a stopped agent may still send text that no page will add to the output."""
    is_stopped = detail.turn.status == "done" and detail.turn.stop_reason == "cancelled"
    return is_stopped and bool(detail.session.held) and not detail.page_holds_notebook


def _with_words(bundle: Bundle, words: str) -> dict[str, JsonValue]:
    markdown, plain = (str(bundle.data[name]) for name in ("text/markdown", "text/plain"))
    return {"text/markdown": f"{markdown}\n\n{words}", "text/plain": f"{plain}\n{words}"}


def _with_place(bundle: Bundle, detail: TurnDetail) -> dict[str, JsonValue]:
    """Return the text for a running turn whose view is lost, with the place where it runs."""
    origin, session = detail.turn.origin, detail.session.session_id[:8]
    # The server names the kernel of a cell's turn.
    if origin is not None and origin.kernel_id:
        place = (
            f"It runs in the Jupyter server, in session {session}; its end is saved here. "
            f"{ANSWERED}"
        )
    else:
        place = f"It runs in this notebook's kernel, in session {session}, and ends with it."
    return _with_words(bundle, place)


_MAX_ENDED = 20
_ended: deque[Shown] = deque()


def end_widget(widget: Shown) -> None:
    """Send the remaining events to the pages of a widget.

    The widget stays open for a while, as a reloaded page shows it in place of the final output.
    """
    _ended.append(widget)
    try:
        widget._finish()
    finally:
        while len(_ended) > _MAX_ENDED:
            _ended.popleft().close()


class TurnPrinter:
    """Prints the text and items that a turn has added since the last call."""

    def __init__(self) -> None:
        self._printed: dict[str, int] = {}
        """Printed characters of each message, and 1 for each other printed item."""
        self._fresh_line = True

    def show(self, detail: TurnDetail) -> None:
        """Print what is new."""
        for item in detail.items:
            if isinstance(item, AgentMessage):
                if not item.parent_id:  # else it is for the agent to read
                    self._text(item.id, item.text)
            elif (key := _key(item)) not in self._printed:
                self._line(key, _words(item))

    def _text(self, item_id: str, text: str) -> None:
        known = self._printed.get(item_id, 0)
        if len(text) > known:
            self._printed[item_id] = len(text)
            self._write(without_ansi(text[known:]))

    def _line(self, item_id: str, words: str) -> None:
        if words:
            self._printed[item_id] = 1
            self._write(("" if self._fresh_line else "\n") + words + "\n")

    def _write(self, text: str) -> None:
        echo(text, end="", flush=True)
        self._fresh_line = text.endswith("\n")


def _key(item: Item) -> str:
    """Return the key of a printed line: a call in the background gets a second line at its end."""
    goes_on = isinstance(item, ToolCall) and item.background
    return f"{item.id} in the background" if goes_on else item.id


def _words(item: Item) -> str:
    match item:
        case ToolCall(background=True):
            words = (item.title, item.description, "goes on in the background")
            return one_line("• " + " · ".join(filter(None, words)))
        case ToolCall(status="completed" | "failed" | "cancelled"):
            outcome = "" if item.permission is None else item.permission.outcome
            words = (item.title, item.description, outcome or item.status)
            line = one_line("• " + " · ".join(dict.fromkeys(filter(None, words))))
            return f"  {line}" if item.parent_id else line
        case ErrorItem():
            return f"Error: {one_line(item.message)}"
        case TurnEnd():
            end = "" if item.stop_reason == "error" else one_line(item.words)
            return " · ".join(filter(None, (duration_text(item.duration_seconds), end)))
        case _:
            return ""
