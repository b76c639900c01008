"""A session as an ipywidget: its turns, and a message box below them.

This module imports ipywidgets; whoever shows a widget imports it then.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

import ipywidgets

from acp_jupyter.errors import AcpError

if TYPE_CHECKING:
    from acp_jupyter.kernel.session import Session
    from acp_jupyter.kernel.turn import Turn

__all__ = ["SessionWidget"]

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

    def __init__(self, session: Session) -> None:
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
        self._turns = ipywidgets.VBox([_asked(turn) for turn in session.turns[-_SHOWN:]])
        super().__init__([self._turns, self._message, ipywidgets.HBox([send, stop]), self._status])

    def add(self, turn: Turn) -> None:
        """Show one more turn."""
        self._turns.children = (*self._turns.children, _asked(turn))[-_SHOWN:]

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


def _asked(turn: Turn) -> ipywidgets.VBox:
    """Return a turn below what it was asked."""
    prompt = html.escape(turn._detail.turn.prompt[:_PROMPT_CHARS])
    return ipywidgets.VBox([ipywidgets.HTML(f"<b>{prompt}</b>"), turn.widget])
