"""The base of all ACP widgets: one anywidget module, and the messages between it and its pages.

This module imports anywidget and ipywidgets, so it is only imported to show a widget.
"""

from __future__ import annotations

import contextvars
import itertools
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol, TypeGuard

import anywidget
import ipywidgets
import traitlets

from acp_jupyter.api.models.frames import API_VERSION
from acp_jupyter.api.models.turns import TurnDetail
from acp_jupyter.kernel.client.host_client import HostClient
from acp_jupyter.kernel.execution_context import current_shell, kernel_of
from acp_jupyter.protocol.host_events.notes import Origin

_STATIC = Path(__file__).parents[2] / "static"

_CODE = (_STATIC / "widget_code.txt").read_text(encoding="ascii")
"""The code of all ACP widgets, packed."""

page_met = threading.Event()
"""Set once a page has shown that it can draw these widgets; one without anywidget can't."""
page_has_subshell = threading.Event()
"""Set once a page's message arrived in another thread than the cells' thread."""

Part = Literal["turn", "text", "plan", "tool_calls", "diffs", "permission", "composer", "session"]


class TurnSource(Protocol):
    """The part of `Turn` that widgets use."""

    _client: HostClient
    _detail: TurnDetail

    @property
    def id(self) -> str:
        """The turn's id."""

    @property
    def session_id(self) -> str:
        """The id of its session."""

    def _current(self) -> TurnDetail: ...


def is_turn(source: TurnSource | SessionSource) -> TypeGuard[TurnSource]:
    """Return whether this is a turn (not a session)."""
    return hasattr(source, "session_id")


class SessionSource(Protocol):
    """The part of `Session` that widgets use."""

    _client: HostClient
    id: str


def turn_traits(detail: TurnDetail) -> dict[str, str]:
    """Return the ids by which a page knows a turn, and the cell or view that may show it live."""
    origin = detail.turn.origin or Origin()
    return {
        "turn_id": detail.turn.turn_id,
        "notebook_path": origin.notebook_path,
        "cell_id": origin.cell_id or origin.view_id,
    }


class WidgetCode(ipywidgets.Widget):  # type: ignore[misc]
    """The code of the ACP widgets of a kernel: a page gets it once, and a notebook stores it once.

    A plain model of ipywidgets, which every page with a manager of Jupyter's widgets knows.
    """

    code = traitlets.Unicode(_CODE, read_only=True).tag(sync=True)
    _shared: ClassVar[WidgetCode | None] = None

    @classmethod
    def shared(cls) -> WidgetCode:
        """Return the kernel's one; a new one if somebody has closed all widgets."""
        if cls._shared is None or cls._shared.comm is None:
            cls._shared = cls()
        return cls._shared


class AcpWidget(anywidget.AnyWidget):
    """A view of a turn or a session.

    With ``mode="server"`` the page follows the session over its own WebSocket to the Jupyter
    server. With ``mode="comm"`` the host is in this kernel, and the frames of
    :mod:`acp_jupyter.api.models.frames` travel as custom messages ``{"n": int, "frame": {...}}``;
    ``n`` rises by one, so that the page sees when one was lost and asks for a snapshot.
    """

    _esm = _STATIC / "widget.js"
    _part: ClassVar[Part] = "turn"

    _code = traitlets.Unicode(
        read_only=True, help="The code, in a host without a manager of Jupyter's widgets."
    ).tag(sync=True)
    _code_model = traitlets.Instance(
        WidgetCode, allow_none=True, read_only=True, help="Has the code, elsewhere."
    ).tag(sync=True, **ipywidgets.widget_serialization)
    part = traitlets.Unicode(read_only=True).tag(sync=True)
    turn_id = traitlets.Unicode(read_only=True, help="Empty for the session's own.").tag(sync=True)
    session_id = traitlets.Unicode(read_only=True).tag(sync=True)
    mode = traitlets.Unicode("server", read_only=True).tag(sync=True)
    api_version = traitlets.Int(API_VERSION, read_only=True).tag(sync=True)
    notebook_path = traitlets.Unicode(read_only=True).tag(sync=True)
    cell_id = traitlets.Unicode(read_only=True).tag(sync=True)
    asked_below = traitlets.Bool(
        read_only=True, help="Whether a waiting cell asks in text what the buttons would answer."
    ).tag(sync=True)

    _from_page: ClassVar[frozenset[str]] = frozenset()
    """Names of the traits that a page may set."""

    def __init__(self, client: HostClient, session_id: str, **traits: str) -> None:
        mode = "comm" if client.location == "kernel" else "server"
        named = {"part": self._part, "session_id": session_id, "mode": mode, **traits}
        for name, value in named.items():
            self.set_trait(name, value)
        if kernel_of(current_shell()) is None:
            self.set_trait("_code", _CODE)
        else:
            self.set_trait("_code_model", WidgetCode.shared())
        super().__init__()
        _by_subshell(self.comm)
        in_shiny = "shinywidgets" in sys.modules
        if in_shiny:
            self.layout.height = "fit-content"  # else it is cut off after 400 pixels
        # There, the context says to which page a message goes.
        self._context = contextvars.copy_context() if in_shiny else None
        self._client = client
        self._numbers = itertools.count()
        self._on_open: Callable[[], None] | None = None
        self._on_frame: Callable[[dict[str, Any]], None] | None = None
        self._on_end: Callable[[], None] | None = None
        self._heard = threading.Event()
        """Set once a page that shows this has answered `_call_pages`."""
        self.on_msg(self._receive)
        if mode == "comm":
            from acp_jupyter.kernel.turn.comm_channel import serve

            serve(client, self)

    def _send_frame(self, frame: Mapping[str, Any]) -> None:
        """Send a server frame to every page that shows this widget."""
        self.send({"n": next(self._numbers), "frame": dict(frame)})

    def _call_pages(self) -> None:
        """Ask the pages that show this widget to answer, to see if they can while a cell runs."""
        self._heard.clear()
        self.send({"call": True})

    def _finish(self) -> None:
        """Send the remaining events to the pages, as the turn has ended."""
        if self._on_end is not None:
            self._on_end()

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Accept traits that a page may set, which are not facts of the turn."""
        allowed = {name: value for name, value in sync_data.items() if name in self._from_page}
        if allowed:
            super().set_state(allowed)

    def _receive(self, _widget: object, content: object, _buffers: object) -> None:
        page_met.set()
        if threading.current_thread() is not threading.main_thread():
            page_has_subshell.set()
        match content:
            case {"code": True}:
                self.send({"code": _CODE})
            case {"open": True} if self._on_open is not None:
                self._on_open()
            case {"shown": True}:
                self._heard.set()
            case {"frame": dict(frame)} if self._on_frame is not None:
                self._on_frame(frame)


def _by_subshell(comm: Any) -> None:
    """Let a page's messages use the subshell that the page chose, past the running cell.

    From 7.4 on, ipykernel handles a comm's messages where the comm last sent one, which is the
    running cell. So buttons, and the sign that a page is there, would wait for the cell's end.
    """
    if comm is not None:
        comm._reply_subshell_for = lambda _data, chosen: chosen


def cell_widget(turn: TurnSource) -> AcpWidget:
    """Return a widget that shows a running turn in its cell; its traits don't follow the turn."""
    return AcpWidget(turn._client, turn.session_id, **turn_traits(turn._detail))
