"""HTML export for programs that may lack the packages it needs: the error says what to install."""

from __future__ import annotations

from collections.abc import Iterable

from acp_jupyter.errors import MissingPackage
from acp_jupyter.transcript.model.items import Item
from acp_jupyter.transcript.model.session_state import SessionState, TurnState
from acp_jupyter.transcript.redactor import Scrubber


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
        from acp_jupyter.transcript.output.html import html_page
    except ImportError as error:
        raise MissingPackage(
            "HTML needs two more packages here. Run: pip install jinja2 markdown-it-py", str(error)
        ) from error
    return html_page(session, turns, items, scrubber, thoughts=thoughts)
