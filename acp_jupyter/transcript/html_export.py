"""The way to HTML pages for those who may lack what makes them."""

from __future__ import annotations

from collections.abc import Iterable

from acp_jupyter.errors import MissingPackage
from acp_jupyter.transcript.items import Item
from acp_jupyter.transcript.scrub import Scrubber
from acp_jupyter.transcript.session_state import SessionState, TurnState

__all__ = ["export_html"]


def export_html(
    session: SessionState,
    turns: Iterable[TurnState],
    items: Iterable[Item],
    scrubber: Scrubber,
    *,
    thoughts: bool = False,
) -> str:
    """Return a page for these turns; see `html_page`.

    Raises
    ------
    MissingPackage
        A package that renders it is not installed here.
    """
    try:
        from acp_jupyter.transcript.html import html_page
    except ImportError as error:
        raise MissingPackage(
            "HTML needs two more packages here. Run: pip install jinja2 markdown-it-py", str(error)
        ) from error
    return html_page(session, turns, items, scrubber, thoughts=thoughts)
