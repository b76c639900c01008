"""`TurnWidget` and `SessionWidget`: a turn, and a session with a message box, as ipywidgets.

This module imports anywidget and ipywidgets; whoever shows a widget imports it then. `TurnWidget`
is for pages that do not render our MIME type.
"""

from __future__ import annotations

import html
import itertools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

import anywidget
import ipywidgets
import traitlets

from acp_jupyter.api.models.frames import API_VERSION
from acp_jupyter.api.models.turns import TurnDetail
from acp_jupyter.errors import AcpError
from acp_jupyter.transcript.output.record import RUNS_KEY

_STATIC = Path(__file__).parents[2] / "static"


class TurnWidget(anywidget.AnyWidget):
    """One turn with its controls.

    The state never changes: it says which turn to draw and where it is live.
    With ``mode="server"`` the page follows the turn over its own WebSocket to
    the Jupyter server. With ``mode="comm"`` the host is in this kernel, and
    the frames of :mod:`acp_jupyter.api.models.frames` travel as custom messages
    ``{"n": int, "frame": {...}}``; ``n`` rises by one, so that the page sees
    when one was lost and asks for a snapshot.

    Parameters
    ----------
    turn_id, session_id
        What to draw.
    mode
        Where the host is.
    notebook_path, cell_id
        The cell that the turn came from; the server shows controls for no other.
    on_open
        Called when a page starts to listen, each time; it is owed a hello frame.
    on_frame
        Called with each client frame, unchecked, on the thread of the comm.
    on_end
        Called by `end`; sends what waits.
    """

    _esm = _STATIC / "widget.js"

    turn_id = traitlets.Unicode().tag(sync=True)
    session_id = traitlets.Unicode().tag(sync=True)
    mode = traitlets.Unicode("server").tag(sync=True)
    api_version = traitlets.Int(API_VERSION).tag(sync=True)
    notebook_path = traitlets.Unicode().tag(sync=True)
    cell_id = traitlets.Unicode().tag(sync=True)

    def __init__(
        self,
        *,
        turn_id: str,
        session_id: str,
        mode: Literal["server", "comm"] = "server",
        notebook_path: str = "",
        cell_id: str = "",
        on_open: Callable[[], None] | None = None,
        on_frame: Callable[[dict[str, Any]], None] | None = None,
        on_end: Callable[[], None] | None = None,
    ) -> None:
        super().__init__(
            turn_id=turn_id,
            session_id=session_id,
            mode=mode,
            notebook_path=notebook_path,
            cell_id=cell_id,
        )
        self._numbers = itertools.count()
        self._on_open = on_open
        self._on_frame = on_frame
        self._on_end = on_end
        self.on_msg(self._receive)

    def send_frame(self, frame: Mapping[str, Any]) -> None:
        """Send a server frame to every page that shows this widget."""
        self.send({"n": next(self._numbers), "frame": dict(frame)})

    def end(self) -> None:
        """Close it as soon as its pages know the end of the turn."""
        try:
            if self._on_end is not None:
                self._on_end()
        finally:
            self.close()

    def _receive(self, _widget: object, content: object, _buffers: object) -> None:
        match content:
            case {"open": True} if self._on_open is not None:
                self._on_open()
            case {"frame": dict(frame)} if self._on_frame is not None:
                self._on_frame(frame)

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
        bundle = super()._repr_mimebundle_(**kwargs)
        if bundle is None:
            return None
        data, metadata = bundle
        return data, {**metadata, RUNS_KEY: {self.turn_id: self.session_id}}


class _Turn(Protocol):
    """What is shown of a `Turn`."""

    @property
    def widget(self) -> TurnWidget: ...

    _detail: TurnDetail


class _Session(Protocol):
    """What is used of a `Session`."""

    @property
    def agent(self) -> str: ...

    @property
    def turns(self) -> Sequence[_Turn]: ...

    def prompt(self, prompt: str, /) -> object: ...

    def cancel(self) -> None: ...


_SHOWN = 20
_PROMPT_CHARS = 500


class SessionWidget(ipywidgets.VBox):  # type: ignore[misc]
    """The last turns that were sent from here, and a box to send another.

    What is typed reaches the kernel between cells; the buttons of a turn work at once where the
    host is in the server.

    Parameters
    ----------
    session
        What to show.
    """

    def __init__(self, session: _Session) -> None:
        self._session = session
        self._message = ipywidgets.Textarea(
            description="Message",
            placeholder=f"Ask {session.agent}",
            rows=2,
            layout=ipywidgets.Layout(width="auto"),
        )
        send = ipywidgets.Button(description="Send", button_style="primary")
        stop = ipywidgets.Button(description="Stop")
        send.on_click(self._send)
        stop.on_click(self._stop)
        self._status = ipywidgets.HTML()
        self._turns = ipywidgets.VBox([_with_prompt(turn) for turn in session.turns[-_SHOWN:]])
        super().__init__([self._turns, self._message, ipywidgets.HBox([send, stop]), self._status])

    def add(self, turn: _Turn) -> None:
        """Show one more turn."""
        self._turns.children = (*self._turns.children, _with_prompt(turn))[-_SHOWN:]

    def _send(self, _button: object) -> None:
        try:
            self._session.prompt(self._message.value)
        except AcpError as error:
            self._show_status(error)
        else:
            self._message.value = ""
            self._status.value = ""

    def _stop(self, _button: object) -> None:
        try:
            self._session.cancel()
        except AcpError as error:
            self._show_status(error)

    def _show_status(self, error: AcpError) -> None:
        self._status.value = html.escape(error.message)


def _with_prompt(turn: _Turn) -> ipywidgets.VBox:
    """Return a turn below what it was asked."""
    prompt = html.escape(turn._detail.turn.prompt[:_PROMPT_CHARS])
    return ipywidgets.VBox([ipywidgets.HTML(f"<b>{prompt}</b>"), turn.widget])
