"""Writes records of turns into notebooks that no page with the labextension has open.

A page with the labextension writes them itself. Any other page shows a widget, and its output
gets out of date if the page is reloaded or closed while the turn runs. Jupyter would ask an open
page about a "changed file", so this writes the file only once the page is gone; until then it
updates the notebook whenever the page saves it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from jupyter_server.utils import ensure_async
from tornado.web import HTTPError

from acp_jupyter.api.access import KernelCaller
from acp_jupyter.api.models.turns import GetTurn, SavedOutput, TurnDetail
from acp_jupyter.errors import AcpError
from acp_jupyter.protocol.objects import obj, text
from acp_jupyter.server.kernels import Kernels
from acp_jupyter.transcript.model.session_state import TurnState
from acp_jupyter.transcript.output.bundle import Bundle
from acp_jupyter.transcript.output.plain_text import ELSEWHERE
from acp_jupyter.transcript.output.record import RUNS_KEY, TURN_MIME

_logger = logging.getLogger(__name__)
_LOOK_SECONDS = 0.5
"""Shorter than a page's reload, so that the reloaded page finds the updated file."""
_MAX_DUE = 100

_WAIT_SECONDS = 30.0
_VIEW_MIME = "application/vnd.jupyter.widget-view+json"
_NOTE_KEY = "acp_note"
"""In an output's metadata: the turn that the note is about."""
_SHOWN_KEY = "acp_shown"
"""In a cell's metadata, as ``labextension/src/lab/output/shown_turns.ts`` writes it."""

_NOT_DRAWN = (
    "Is nothing drawn above? Then this page was loaded while the cell ran, and shows the turn once "
    f"the cell has ended. {ELSEWHERE}"
)

GetTurnOf = Callable[[GetTurn, KernelCaller], Awaitable[TurnDetail]]


@dataclass(frozen=True, slots=True)
class _Due:
    """A record that may be missing in a notebook."""

    path: str
    turn: TurnState
    bundle: Bundle


class FinishedOutputs:
    """Writes the records of cells' turns into their notebooks. Used on the server's loop only."""

    def __init__(
        self,
        contents: Any,
        kernels: Kernels,
        holds: Callable[[str], bool],
        waits: Callable[[str], bool],
        get_turn: GetTurnOf,
    ) -> None:
        self._contents = contents
        self._kernels = kernels
        self._holds = holds
        self._waits = waits
        self._get_turn = get_turn
        self._due: dict[str, _Due] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        """By turn id; a failed look-up stays, so that it is not repeated."""
        self._running: dict[str, tuple[str, str]] = {}
        """Kernel and session of each watched turn that runs."""
        self._words: dict[tuple[str, str], str] = {}
        """Markdown of ended turns, by the notebook's path and the turn's id."""
        contents.register_pre_save_hook(self.update_saved)

    def watch(self, turn_id: str, caller: KernelCaller) -> None:
        """Update the notebook of a cell's turn when the turn ends, if no page does it."""
        task = asyncio.create_task(self._watch(turn_id, caller), name="acp-finished-output")
        self._tasks[turn_id] = task
        task.add_done_callback(lambda _: self._tasks.pop(turn_id, None))

    def stop(self) -> None:
        """Stop watching."""
        for task in self._tasks.values():
            task.cancel()

    def update_saved(self, *, model: Mapping[str, Any], path: str, **_others: object) -> None:
        """Update a notebook that a page saves; a hook of the contents manager.

        Records of turns from before the server's start follow with the next save.
        """
        path = path.strip("/")
        if model.get("type") != "notebook":
            return
        content = model.get("content")
        words = {turn_id: words for (of, turn_id), words in self._words.items() if of == path}
        for turn_id in _add_words(content, words):
            self._start_look_up(turn_id, path)
        if self._holds(path):
            return
        for due in self._due_in(path):
            has_it = any(_outputs(cell, due) for cell in _cells(content, due))
            if not _replace(content, due) and has_it:
                self._due.pop(due.turn.turn_id)  # the page has the record
        for turn_id in _unfinished(content):
            self._start_look_up(turn_id, path)
        for turn_id, (kernel_id, session_id) in self._running.items():
            if self._waits(kernel_id):
                _add_note(content, turn_id, session_id)

    def know(self, path: str, saved_outputs: Iterable[SavedOutput]) -> None:
        """Keep the text of turns that a page has asked for; it will save their notebook."""
        for each in saved_outputs:
            if each.done:
                self._keep_words(path, each.turn_id, each.bundle)

    def _keep_words(self, path: str, turn_id: str, bundle: Bundle) -> None:
        self._words[path.strip("/"), turn_id] = text(bundle.data["text/markdown"])
        if len(self._words) > _MAX_DUE:
            del self._words[next(iter(self._words))]

    def _start_look_up(self, turn_id: str, path: str) -> None:
        if turn_id not in self._tasks and len(self._tasks) < _MAX_DUE:
            task = asyncio.create_task(self._look_up(turn_id, path), name="acp-old-output")
            self._tasks[turn_id] = task

    async def _look_up(self, turn_id: str, path: str) -> None:
        try:
            # A notebook only gets turns of its own sessions, whatever ids its file has.
            caller = KernelCaller("", path)
            detail = await self._get_turn(GetTurn(turn_id=turn_id), caller)
        except AcpError:
            return
        origin = detail.turn.origin
        if detail.bundle is None:
            del self._tasks[turn_id]  # still running, so look it up again later
            return
        self._keep_words(path, turn_id, detail.bundle)
        named = origin is not None and origin.notebook_path == path
        if named and not self._holds(path):
            self._add(_Due(path, detail.turn, detail.bundle))

    async def _watch(self, turn_id: str, caller: KernelCaller) -> None:
        try:
            begun = await self._get_turn(GetTurn(turn_id=turn_id), caller)
            self._running[turn_id] = (caller.kernel_id, begun.session.session_id)
            wanted = GetTurn(turn_id=turn_id, wait_seconds=_WAIT_SECONDS)
            while (detail := await self._get_turn(wanted, caller)).turn.status != "done":
                pass
            del self._running[turn_id]
            path = await self._kernels.notebook_path(caller.kernel_id) or caller.notebook_path
            if detail.bundle is None or not path:
                return
            self._add(_Due(path, detail.turn, detail.bundle))
            while turn_id in self._due and not self._holds(path):
                if not await self._kernels.connections(caller.kernel_id):
                    await self._write(path)
                    break
                await asyncio.sleep(_LOOK_SECONDS)
        except (AcpError, HTTPError, OSError) as error:
            _logger.info("the output of turn %s stays as it is: %s", turn_id, error)
        except Exception:
            _logger.exception("the output of turn %s could not be saved", turn_id)
        finally:
            self._due.pop(turn_id, None)
            self._running.pop(turn_id, None)

    def _add(self, due: _Due) -> None:
        self._due[due.turn.turn_id] = due
        if len(self._due) > _MAX_DUE:
            del self._due[next(iter(self._due))]

    def _due_in(self, path: str) -> list[_Due]:
        return [due for due in self._due.values() if due.path == path]

    async def _write(self, path: str) -> None:
        """Write all missing records of a notebook with one save."""
        due = self._due_in(path)
        for each in due:
            del self._due[each.turn.turn_id]
        model = await ensure_async(self._contents.get(path, type="notebook"))
        saved_at = model["last_modified"]
        content = model["content"]
        changed = [_replace(content, each) or _insert(content, each, saved_at) for each in due]
        now = await ensure_async(self._contents.get(path, content=False))
        if any(changed) and now["last_modified"] == saved_at:  # else it was saved meanwhile
            await ensure_async(self._contents.save(model, path))


def _cells(content: object, due: _Due) -> Iterator[dict[str, Any]]:
    """Yield the cell of a turn, from a notebook as JSON."""
    origin = due.turn.origin
    cells = content.get("cells", ()) if isinstance(content, dict) else ()
    for cell in cells:
        if origin is not None and cell.get("id") == origin.cell_id and "outputs" in cell:
            yield cell


def _add_words(content: object, words: Mapping[str, str]) -> set[str]:
    """Add the turns' text to the widgets that show them; return the turns without a known text.

    A page with the labextension notes at the cell which turns its widgets show, in layouts, too.
    """
    cells = content.get("cells", ()) if isinstance(content, dict) else ()
    missing: set[str] = set()
    for cell in cells:
        shown = obj(obj(cell.get("metadata")).get(_SHOWN_KEY))
        for output in cell.get("outputs", ()) if shown else ():
            data = obj(output.get("data"))
            turn_ids = list(obj(shown.get(text(obj(data.get(_VIEW_MIME)).get("model_id")))))
            known = [words[turn_id] for turn_id in turn_ids if turn_id in words]
            missing.update(turn_id for turn_id in turn_ids if turn_id not in words)
            if known:
                data["text/markdown"] = "\n\n".join(known)
    return missing


def _unfinished(content: object) -> list[str]:
    """Return the turns whose record in the notebook is not final."""
    cells = content.get("cells", ()) if isinstance(content, dict) else ()
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    running = [output for output in outputs if not _is_final(output)]
    return [turn_id for each in running for turn_id in obj(obj(each.get("metadata")).get(RUNS_KEY))]


def _add_note(content: object, turn_id: str, session_id: str) -> None:
    """Add a note below a widget that says where to find its turn.

    A reloaded page gets the widget only once the cell has ended, as the busy kernel can't answer.
    """
    words = _NOT_DRAWN.format(session=session_id[:8])
    cells = content.get("cells", ()) if isinstance(content, dict) else ()
    for cell in cells:
        outputs = cell.get("outputs", ())
        shown = [
            index
            for index, output in enumerate(outputs)
            if _VIEW_MIME in obj(output.get("data"))
            and turn_id in obj(obj(output.get("metadata")).get(RUNS_KEY))
        ]
        if shown and not any(_is_note(output, turn_id) for output in outputs):
            note = {
                "output_type": "display_data",
                "data": {"text/markdown": words, "text/plain": words},
                "metadata": {_NOTE_KEY: turn_id},
            }
            outputs.insert(shown[-1] + 1, note)


def _is_note(output: Mapping[str, Any], turn_id: str) -> bool:
    return obj(output.get("metadata")).get(_NOTE_KEY) == turn_id


def _is_final(output: Mapping[str, Any]) -> bool:
    return obj(obj(output.get("data")).get(TURN_MIME)).get("final") is True


def _replace(content: object, due: _Due) -> bool:
    """Replace the turn's outputs in its cell; return whether one of them was not final."""
    for cell in _cells(content, due):
        cell["outputs"] = [each for each in cell["outputs"] if not _is_note(each, due.turn.turn_id)]
    found = [output for cell in _cells(content, due) for output in _outputs(cell, due)]
    old = [output for output in found if not _is_final(output)]
    for output in old:
        output["data"] = dict(due.bundle.data)
        output["metadata"] = dict(due.bundle.metadata)
    return bool(old)


def _insert(content: object, due: _Due, saved_at: datetime) -> bool:
    """Add the record to the turn's cell if it was not saved since; return whether it was added.

    The cell's present outputs are from an earlier run.
    """
    origin = due.turn.origin
    if origin is None or (due.turn.ended_at or 0) <= saved_at.timestamp():
        return False
    missing = [
        cell
        for cell in _cells(content, due)
        if cell.get("source") == origin.source
        and origin.source.lstrip().startswith("%%acp")
        and not _outputs(cell, due)
    ]
    for cell in missing:
        data, metadata = dict(due.bundle.data), dict(due.bundle.metadata)
        cell["outputs"] = [{"output_type": "display_data", "data": data, "metadata": metadata}]
    return bool(missing)


def _outputs(cell: Mapping[str, Any], due: _Due) -> list[dict[str, Any]]:
    """Return the outputs of a cell that belong to the turn."""
    return [
        output
        for output in cell["outputs"]
        if due.turn.turn_id in obj(obj(output.get("metadata")).get(RUNS_KEY))
    ]
