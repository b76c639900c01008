"""A turn as text for other programs and people."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from acp_jupyter.kernel.turn_values import TurnValues
from acp_jupyter.transcript.output.html_export import export_html
from acp_jupyter.transcript.output.markdown import turn_markdown
from acp_jupyter.transcript.redaction.redactor import Redactor
from acp_jupyter.transcript.redaction.scrubber import Scrubber

__all__ = ["ExportedTurn"]


class ExportedTurn(TurnValues):
    """Writes a turn in other forms."""

    def to_markdown(self, *, thoughts: bool = False) -> str:
        """Return the answer with its tool calls as Markdown."""
        detail = self._current()
        return turn_markdown(detail.turn, detail.items, thoughts=thoughts)

    def to_html(self, *, thoughts: bool = False) -> str:
        """Return the turn as one HTML file, which needs nothing else.

        Raises
        ------
        MissingPackage
            What renders it is not installed here.
        """
        detail = self._current()
        scrubber = Scrubber.of_session(detail.session, Redactor(), str(Path.home()))
        return export_html(detail.session, [detail.turn], detail.items, scrubber, thoughts=thoughts)

    def to_dict(self) -> dict[str, Any]:
        """Return the turn and its items as JSON-able values."""
        detail = self._current()
        return detail.model_dump(mode="json", include={"turn", "items"})
