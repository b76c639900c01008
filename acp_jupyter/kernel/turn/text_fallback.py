"""Shows turns as text in a page without anywidget, which can't draw their widget."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Iterator

from acp_jupyter.api.models.turns import TurnDetail
from acp_jupyter.kernel.client.host_client import HostClient
from acp_jupyter.kernel.turn.acp_widget import page_met
from acp_jupyter.kernel.turn.display import first_bundle
from acp_jupyter.kernel.turn.questions import pending_request
from acp_jupyter.protocol.objects import text
from acp_jupyter.transcript.escaping import inert
from acp_jupyter.transcript.model.items import Elicitation
from acp_jupyter.transcript.output.bundle import Bundle
from acp_jupyter.transcript.output.plain_text import ELSEWHERE

_MISSING = (
    "This page can't show the turn: it has no anywidget. Run pip install anywidget where "
    "JupyterLab is installed, and reload the page."
)
_MAY_BE_MISSING = (
    "If there is an error in place of the turn, this page has no anywidget: run pip install "
    f"anywidget where JupyterLab is installed, and reload the page. {ELSEWHERE}"
)
_MET_SECONDS = 8.0
"""How long a page has to show that it can draw widgets, while a cell runs."""
_TICK_SECONDS = 0.5
_LATE_SECONDS = 0.25
_TICKS = 10
"""After this many ticks of a free kernel, a page would have answered."""


@contextlib.contextmanager
def hint_while_waiting(turn_id: str, session_id: str) -> Iterator[None]:
    """Show a hint below a waiting cell's turn if no page answers for a while.

    For turns of a host in the server, whose requests are not asked here. The hint is conditional,
    as pages whose messages wait for the end of the cell get it, too.
    """
    note_id, is_shown = f"{turn_id}-note", threading.Event()

    def tell() -> None:
        if not page_met.is_set():
            is_shown.set()
            words = _MAY_BE_MISSING.format(session=session_id[:8])
            _show({"text/markdown": words, "text/plain": words}, note_id, update=False)

    timer = threading.Timer(_MET_SECONDS, tell)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        if is_shown.is_set():
            _show({}, note_id, update=True)


def _show(data: dict[str, str], display_id: str, *, update: bool) -> None:
    from IPython.display import display

    display(data, raw=True, display_id=display_id, update=update)  # type: ignore[no-untyped-call]


class TextFallback:
    """Shows a background turn as text if no page draws its widget. Made on the main thread."""

    def __init__(self, client: HostClient) -> None:
        self._client = client
        self._unseen = threading.Event()
        self._last_text = ""
        _after_idle(self._unseen)

    @property
    def look_seconds(self) -> float:
        """How long to wait for the turn's end before calling `news` again."""
        return 20.0 if page_met.is_set() else 1.0

    def news(self, detail: TurnDetail) -> Bundle | None:
        """Return the output to show in place of the widget, if it has changed."""
        if not self._unseen.is_set() or page_met.is_set() or detail.turn.status == "done":
            return None
        bundle = first_bundle(detail, None)
        lines = [_MISSING, *self._question(detail)]
        shown = "\n".join(lines)
        if shown == self._last_text:
            return None
        self._last_text = shown
        markdown, plain = (text(bundle.data[name]) for name in ("text/markdown", "text/plain"))
        return Bundle(
            data={
                "text/markdown": "\n\n".join([markdown, *map(inert, lines)]),
                "text/plain": "\n".join([plain, *lines]),
            },
            metadata=bundle.metadata,
        )

    def _question(self, detail: TurnDetail) -> list[str]:
        request = pending_request(detail)
        if request is None:
            return []
        if isinstance(request, Elicitation):
            title = request.title
        else:
            title = "" if request.permission is None else request.permission.title
        if not self._client.may_answer:
            return [f"{title}. Only a page that shows the turn can answer."]
        return [f"{title}. Run _acp.wait() in a cell to answer."]


def _after_idle(reached: threading.Event) -> None:
    """Set an event after the main thread was free for some seconds, unless a page answers first."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:  # no kernel
        return
    on_time = 0

    def tick(due: float) -> None:
        nonlocal on_time
        on_time = 0 if loop.time() - due > _LATE_SECONDS else on_time + 1
        if on_time == _TICKS:
            reached.set()
        elif not page_met.is_set():
            loop.call_later(_TICK_SECONDS, tick, loop.time() + _TICK_SECONDS)

    loop.call_soon(tick, loop.time())
