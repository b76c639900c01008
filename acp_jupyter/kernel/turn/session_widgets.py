"""`SessionWidget` and `ComposerWidget`: a session, or its message box alone, as ipywidgets."""

from __future__ import annotations

from typing import Any, ClassVar

import traitlets

from acp_jupyter.errors import AcpError
from acp_jupyter.kernel.turn.acp_widget import AcpWidget, Part, SessionSource
from acp_jupyter.kernel.turn.widgets import TurnWidget

_WIDGETS: dict[str, SessionWidget] = {}
"""The open widget in this kernel of each session, by session id."""


class SessionWidget(TurnWidget):
    """A session with its message box, whoever sends: a cell, the panel, another widget.

    It has the agent, mode and policy of the panel, and its keys; Ctrl+Enter sends as well. What is
    sent in it is sent by its user, as in the panel. Its traits are those of a `TurnWidget`, of the
    turn that runs, else of the newest.

    Parameters
    ----------
    source
        The `Session`.
    """

    _part: ClassVar[Part] = "session"

    def __init__(self, source: SessionSource) -> None:
        super().__init__(source)

    def _words(self) -> dict[str, Any]:
        try:
            transcript = self._client.transcript(self.session_id, "markdown")
        except AcpError:
            return {}
        return {"text/markdown": str(transcript["markdown"])}


class ComposerWidget(AcpWidget):
    """The message box of a session alone.

    Parameters
    ----------
    source
        The `Session` that it sends to.
    value
        The text in the box.

    Attributes
    ----------
    value
        The text in the box; changes while the user types. Setting it replaces the typed text. Only
        the user can send it.
    """

    _part: ClassVar[Part] = "composer"
    _from_page: ClassVar[frozenset[str]] = frozenset({"value"})

    value = traitlets.Unicode("").tag(sync=True)

    def __init__(self, source: SessionSource, value: str = "") -> None:
        self.value = value
        super().__init__(source._client, source.id)

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
        shown = super()._repr_mimebundle_(**kwargs)
        return None if shown is None else ({**shown[0], "text/plain": "Message box"}, shown[1])


def session_widget(session: SessionSource) -> SessionWidget:
    """Return the widget of a session: the same one while it is not closed."""
    known = _WIDGETS.get(session.id)
    if known is None or known.comm is None:
        known = _WIDGETS[session.id] = SessionWidget(session)
    return known
