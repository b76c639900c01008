"""Which cells of a notebook are pinned or left out, and the pinned ones as content blocks.

Also the text of what a page attaches, without secrets.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from urllib.parse import quote

from pydantic import JsonValue

from acp_jupyter.api.access import (
    Caller,
    NotebookLookup,
    UserCaller,
    notebook_of,
    visible_session,
)
from acp_jupyter.api.cell_text import cell_text
from acp_jupyter.api.models.command_row import handles
from acp_jupyter.api.models.documents import Cell
from acp_jupyter.api.models.turns import (
    CellPlace,
    GetContext,
    NotebookContext,
    PinnedCell,
    RedactedText,
    RedactText,
)
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.protocol.formatting import shorten_middle
from acp_jupyter.transcript.redactor import Redactor

_MAX_PINNED = 20
_CELL_CHARS = 12_000
_ALL_CHARS = 60_000


class CellContexts:
    """Reads what the user set for the cells of notebooks."""

    def __init__(self, host: AgentHost, notebooks: NotebookLookup) -> None:
        self._host = host
        self._notebooks = notebooks

    @handles(GetContext)
    async def context(self, command: GetContext, caller: Caller) -> NotebookContext:
        """Return the cells, and what goes along with each prompt."""
        path, _ = notebook_of(caller, command.notebook_path)
        session = self._session(command.session_id, caller)
        redactor = self._redactor(session)
        if session is not None:
            path = session.state.notebook_path
        cells = await self._notebooks.contexts(path) if path else ()
        pinned, too_many = pinned_cells(path, cells, redactor.redact_text)
        return NotebookContext(
            cells=tuple(
                CellPlace(
                    number=number,
                    cell_id=cell.id,
                    context=cell.context,
                    execution_count=cell.execution_count,
                )
                for number, cell in enumerate(cells, 1)
            ),
            pinned=pinned if self._host.config.bounds.attachments else (),
            too_many=too_many,
        )

    @handles(RedactText)
    async def redact(self, command: RedactText, caller: UserCaller) -> RedactedText:
        """Return a text as an agent may get it."""
        redactor = self._redactor(self._session(command.session_id, caller))
        return RedactedText(text=await asyncio.to_thread(redactor.redact_text, command.text))

    def _session(self, session_id: str, caller: Caller) -> Session | None:
        if session_id not in self._host.sessions:
            return None
        return visible_session(self._host, session_id, caller)

    def _redactor(self, session: Session | None) -> Redactor:
        return self._host.sessions.redactor(None) if session is None else session.redactor


def pinned_cells(
    notebook_path: str,
    cells: Collection[Cell],
    redact: Callable[[str], str],
    without: Collection[str] = (),
) -> tuple[tuple[PinnedCell, ...], int]:
    """Return the pinned cells that go along with a prompt, and how many more there are.

    Parameters
    ----------
    without
        Ids of cells that don't go along this time.
    """
    pinned = [
        (number, cell)
        for number, cell in enumerate(cells, 1)
        if cell.context == "pinned" and cell.id not in without
    ]
    going = pinned[:_MAX_PINNED]
    most = min(_CELL_CHARS, _ALL_CHARS // max(1, len(going)))
    found = tuple(
        PinnedCell(
            number=number,
            cell_id=cell.id,
            block=_block(
                notebook_path, number, shorten_middle(redact(cell_text(number, cell)), most)
            ),
        )
        for number, cell in going
    )
    return found, len(pinned) - len(going)


def _block(notebook_path: str, number: int, words: str) -> dict[str, JsonValue]:
    names = [*filter(None, notebook_path.split("/")), f"cell-{number}"]
    uri = f"jupyter:{'/'.join(quote(name, safe='') for name in names)}"
    return {
        "type": "resource",
        "resource": {"uri": uri, "text": words, "mimeType": "text/plain"},
    }
