"""A turn as cell output: what is shown at first, and what takes its place at the end."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from acp_jupyter.api.models.turns import TurnDetail
from acp_jupyter.kernel.client import HostClient
from acp_jupyter.protocol.host_events.notes import Origin
from acp_jupyter.transcript.output.bundle import TURN_MIME, Bundle, build_bundle

if TYPE_CHECKING:
    from acp_jupyter.kernel.widget import TurnWidget

__all__ = ["first_bundle", "make_widget", "wants_widget"]


def wants_widget(detail: TurnDetail, can_ask: bool) -> bool:
    """Tell whether a widget shall show the running turn.

    Not where a page with the labextension holds the notebook: its renderer draws the turn. And not
    where nobody watches.
    """
    return can_ask and not detail.page_holds_notebook


def first_bundle(detail: TurnDetail, widget: TurnWidget | None) -> Bundle:
    """Return what a running turn shows.

    Parameters
    ----------
    detail
        The turn.
    widget
        Its view, where our renderer does not draw it.
    """
    bundle = build_bundle(detail.turn, (), detail.session, home=str(Path.home()))
    if detail.page_holds_notebook:
        return bundle
    # The MIME type of turns would outrank the widget with less; it waits for the end.
    words = {name: value for name, value in bundle.data.items() if name != TURN_MIME}
    view = None if widget is None else widget._repr_mimebundle_()
    if view is None:
        return Bundle(data=words, metadata={})
    data, metadata = view
    return Bundle(data={**data, **words}, metadata=metadata)


def make_widget(client: HostClient, detail: TurnDetail) -> TurnWidget:
    """Return a turn as an ipywidget."""
    from acp_jupyter.kernel.widget import TurnWidget

    if client.location == "kernel":
        from acp_jupyter.kernel.comm_channel import comm_widget

        return comm_widget(client, detail.turn)
    origin = detail.turn.origin or Origin()
    return TurnWidget(
        turn_id=detail.turn.turn_id,
        session_id=detail.turn.session_id,
        notebook_path=origin.notebook_path,
        cell_id=origin.cell_id,
    )
