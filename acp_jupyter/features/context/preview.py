"""What would go along with the prompt of a cell: pages ask a kernel for it, and nothing is sent.

Neither a session nor an agent is started. What the newest session of the cell's agent takes is
taken for what this one will take; without a session, for everything.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from IPython.core.error import UsageError
from IPython.core.getipython import get_ipython
from pydantic import JsonValue

from acp_jupyter.api.attachments import block_name, with_attachments
from acp_jupyter.api.cell_options import CellOptions, parse_cell_line, split_cell
from acp_jupyter.api.models.documents import Cell
from acp_jupyter.errors import AcpError, FileMissing
from acp_jupyter.kernel.client.server_client import host_client
from acp_jupyter.kernel.connect import by_time
from acp_jupyter.kernel.left_out import left_out_cells
from acp_jupyter.kernel.magics.cell import mentioned_in
from acp_jupyter.kernel.session import defaults
from acp_jupyter.kernel.variables import describe_names
from acp_jupyter.protocol.content import MEDIA, media_of
from acp_jupyter.protocol.objects import text

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from acp_jupyter.transcript.model.session_state import SessionState

_Block = dict[str, JsonValue]

_NO_SESSION = "Cells after @ are listed once the cell's agent has a session."


def going_along(source: str, cell_id: str, *, pins: bool) -> dict[str, JsonValue]:
    """Return what goes along with a prompt cell, as content blocks with their names.

    Parameters
    ----------
    cell_id
        The cell's own id: a pinned prompt cell doesn't go along with itself.
    pins
        Whether cells of the notebook are pinned.
    """
    parts = split_cell(source)
    shell = get_ipython()
    if parts is None or shell is None or "acp" not in shell.magics_manager.magics["cell"]:
        return {"words": "", "going": []}
    try:
        options = parse_cell_line(parts[0])
        if options.help or options.feature is not None:
            return {"words": "", "going": []}
        found = _Found(shell, options, parts[1])
        going = [*found.named(), *(found.pinned(cell_id) if pins else ())]
    except (AcpError, UsageError, OSError) as error:
        return {"words": str(error), "going": []}
    shown: list[JsonValue] = [
        _shown(name, block, out=name in options.without) for name, block in going
    ]
    return {"words": found.words, "going": shown}


class _Found:
    def __init__(self, shell: InteractiveShell, options: CellOptions, prompt: str) -> None:
        self._shell = shell
        self._options = options
        self._prompt = prompt
        self._client = host_client()
        self._state = self._newest()
        self.words = ""
        """What is not known."""

    def named(self) -> Iterator[tuple[str, _Block]]:
        """Yield what the cell names, also what ``--without`` leaves out."""
        options, state = self._options, self._state
        # Pictures and sound are long to read, and are named here.
        known = () if state is None else state.prompt_capabilities
        takes = ("embeddedContext",) if not known or "embeddedContext" in known else ()
        root = Path.cwd() if state is None else Path(state.copied or state.cwd)
        if options.var or "@" in self._prompt:
            left_out_cells.update(self._client.cell_contexts)
        for each in describe_names(options.var, self._shell.user_ns, pictures=False):
            body: _Block = {"uri": f"jupyter:variable/{quote(each.name)}", "text": each.text}
            yield each.name, {"type": "resource", "resource": body}
        anywhere = Path(root.anchor) if state is None else root
        for block in with_attachments("", options.attach, anywhere, takes)[1:]:
            yield block_name(block), block
        if "@" in self._prompt:
            for block in mentioned_in(self._shell, self._prompt, root, self._cell):
                yield block_name(block), block

    def pinned(self, cell_id: str) -> Iterator[tuple[str, _Block]]:
        """Yield the notebook's pinned cells."""
        for each in self._client.cell_contexts().pinned:
            if each.cell_id != cell_id:
                yield f"cell {each.number}", each.block

    def _newest(self) -> SessionState | None:
        agent = self._options.agent or defaults.agent
        states = by_time(self._client.sessions())
        return next((each for each in states if each.agent == agent and not each.stored), None)

    def _cell(self, number: int) -> Cell:
        if self._state is None:
            self.words = _NO_SESSION
            raise FileMissing(_NO_SESSION)
        return self._client.cell(self._state.session_id, number)


def _shown(name: str, block: _Block, *, out: bool) -> dict[str, JsonValue]:
    """Return a block as the page shows it: a picture or sound, which is not read, as its size."""
    mime = text(block.get("mimeType"))
    media = media_of(mime.partition("/")[0])
    if block.get("type") != "resource_link" or media is None or mime not in MEDIA[media].drawn:
        return {"name": name, "block": block, "size": None, "out": out}
    named: _Block = {"type": "text", "text": f"[{mime}]", "uri": block.get("uri")}
    return {"name": name, "block": named, "size": block.get("size"), "out": out}
