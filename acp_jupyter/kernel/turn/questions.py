"""Requests while a cell waits for a turn of a host in this kernel: by buttons, else over stdin.

In most frontends a click only reaches the kernel at the end of the cell. If page and kernel support
subshells, it comes at once. So each page that shows the turn is asked for a sign of life.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from acp_jupyter.api.models.turns import TurnDetail
from acp_jupyter.errors import AcpError
from acp_jupyter.kernel.client.host_client import HostClient
from acp_jupyter.kernel.turn.stdin_questions import answer_request
from acp_jupyter.transcript.model.items import Elicitation, TrustRequest
from acp_jupyter.transcript.model.tool_items import ToolCall
from acp_jupyter.transcript.view import TurnView

if TYPE_CHECKING:
    from acp_jupyter.kernel.turn.comm_channel import Served

_MISSING = (
    "If there is an error in place of the turn, this page has no anywidget: run pip install "
    "anywidget where JupyterLab is installed, and reload the page."
)

_HEARD_SECONDS = 2.0
"""How long a page has for its answer; most need a tenth of it."""
_FIRST_SECONDS = 6.0
"""How long it has with its first widget, which loads anywidget and starts the subshell."""
_SURE_SECONDS = 15.0
"""How long it has if a page has answered before while a cell ran."""


class Questions:
    """The requests of a turn that a cell waits for, and of the turn that it waits behind."""

    def __init__(self, client: HostClient, turn_id: str) -> None:
        self._client = client
        self._turn_id = turn_id
        self._until: dict[str, float] = {}
        """The deadline for answers of each turn's pages, by the turn's id."""
        self._call_pages(turn_id)

    def ask(self, detail: TurnDetail) -> None:
        """Ask the first open request over stdin, unless a page can answer it with buttons."""
        if detail.turn.status == "queued":
            active = self._client.session(detail.turn.session_id).active_turn_id
            if active is None or active == self._turn_id:
                return
            detail = self._client.turn(active)
        asked = pending_request(detail)
        if asked is None or self._has_buttons(detail.turn.turn_id):
            return
        turn_id = detail.turn.turn_id

        def wanted() -> bool:
            try:
                current = pending_request(self._client.turn(turn_id))
            except AcpError:
                return False
            return current is not None and current.id == asked.id

        if wanted():  # otherwise another thread has asked it meanwhile
            with self._below(turn_id) as note:
                answer_request(self._client, detail.turn.session_id, asked, wanted, note)

    def _call_pages(self, turn_id: str) -> None:
        self._until[turn_id] = time.monotonic() + _patience()
        for widget in _widgets(turn_id):
            widget._call_pages()

    def _has_buttons(self, turn_id: str) -> bool:
        if turn_id not in self._until:
            self._call_pages(turn_id)
        until = self._until[turn_id]
        widgets = _widgets(turn_id)
        return any(widget._heard.wait(max(0.0, until - time.monotonic())) for widget in widgets)

    @contextlib.contextmanager
    def _below(self, turn_id: str) -> Iterator[str]:
        """Let the turn's views say that the question is below them.

        If no page has answered yet, add a note to the question about what the page may lack.
        """
        widgets = _widgets(turn_id)
        for widget in widgets:
            widget.set_trait("asked_below", True)
        try:
            yield "" if not widgets or _page_met() else _MISSING
        finally:
            for widget in widgets:
                widget.set_trait("asked_below", False)


def pending_request(detail: TurnDetail) -> ToolCall | Elicitation | None:
    """Return the first item of a turn that waits for an answer."""
    requests = TurnView(detail.turn, detail.items).requests
    return next((item for item in requests if not isinstance(item, TrustRequest)), None)


def _page_met() -> bool:
    widgets = sys.modules.get("acp_jupyter.kernel.turn.acp_widget")
    return widgets is not None and widgets.page_met.is_set()


def _patience() -> float:
    widgets = sys.modules.get("acp_jupyter.kernel.turn.acp_widget")
    if widgets is not None and widgets.page_has_subshell.is_set():
        return _SURE_SECONDS
    return _HEARD_SECONDS if _page_met() else _FIRST_SECONDS


def _widgets(turn_id: str) -> list[Served]:
    # Only imported when a widget is shown, as the packages may be missing.
    channel = sys.modules.get("acp_jupyter.kernel.turn.comm_channel")
    return [] if channel is None else channel.widgets_of(turn_id)
