"""Finds the cells whose outputs come from other sources than the notebook now has.

A run of a cell used names. Each was set by an earlier run, which used names in turn. An output is
stale if the source of one of these runs has changed in its cell, or if a different cell would set
the name now.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from acp_jupyter.cells.names import code_of, is_prompt, names_of
from acp_jupyter.protocol.objects import Model

_MAX_CAUSES = 5
"""Most causes that are reported for a cell."""


class CodeCell(Model):
    """A code cell as it is now."""

    cell_id: str
    source: str


class CellRun(Model):
    """A cell that was run, with its source at that time."""

    cell_id: str
    source: str
    kernel: int = 0
    """Counts the kernel's starts: what was set before one is gone."""


class NameLink(Model):
    """A name, and the cell that sets it."""

    name: str
    cell_id: str


class StaleCause(Model):
    """Why an output is stale."""

    cell_id: str
    """The cell that was changed; it may be the stale one itself."""
    change: Literal["changed", "deleted", "set_elsewhere"]
    """``set_elsewhere``: it sets a name that came from another cell when this one ran."""
    path: tuple[NameLink, ...] = ()
    """The names through which the stale cell depends on it, the stale cell's own first."""
    run: int | None = None
    """Index of the run whose source is not the cell's any more."""


class StaleCell(Model):
    """A cell whose output is stale."""

    cell_id: str
    causes: tuple[StaleCause, ...]


def find_stale(
    cells: Sequence[CodeCell], runs: Sequence[CellRun], *, python: bool = True
) -> list[StaleCell]:
    """Return the cells whose last run doesn't match the present notebook, in its order.

    Parameters
    ----------
    python
        Whether names can be read; if not, each cell only depends on its own source.
    """
    history = _History(cells, runs, python=python)
    found: list[StaleCell] = []
    for cell in cells:
        causes = history.causes(cell)
        if causes:
            found.append(StaleCell(cell_id=cell.cell_id, causes=tuple(causes)))
    return found


class _History:
    def __init__(self, cells: Sequence[CodeCell], runs: Sequence[CellRun], *, python: bool) -> None:
        self._runs = runs
        self._python = python
        self._sources = {cell.cell_id: cell.source for cell in cells}
        self._last = {run.cell_id: index for index, run in enumerate(runs)}
        self._inputs = list(self._resolved())
        self._above = self._setters(cells)

    def _uses(self, source: str) -> frozenset[str]:
        return names_of(source).uses if self._python else frozenset()

    def _sets(self, source: str) -> frozenset[str]:
        return names_of(source).sets if self._python else frozenset()

    def _resolved(self) -> Iterator[Mapping[str, int]]:
        """Yield for each run the earlier runs that had set the names it used."""
        setters: dict[str, int] = {}
        missing: list[frozenset[str]] = []
        """Names not yet set when a run used them: a function may find them when it is called."""
        kernel = 0
        for index, run in enumerate(self._runs):
            if run.kernel != kernel:
                setters, kernel = {}, run.kernel
            uses = self._uses(run.source)
            uses = uses.union(*(missing[setters[name]] for name in uses if name in setters))
            missing.append(uses - setters.keys())
            yield {name: setters[name] for name in sorted(uses) if name in setters}
            setters.update(dict.fromkeys(self._sets(run.source), index))

    def _setters(self, cells: Sequence[CodeCell]) -> Mapping[str, Mapping[str, str]]:
        """Return for each cell the nearest cells above that set the names it uses."""
        found: dict[str, dict[str, str]] = {}
        setters: dict[str, str] = {}
        for cell in cells:
            uses = sorted(self._uses(cell.source))
            found[cell.cell_id] = {name: setters[name] for name in uses if name in setters}
            setters.update(dict.fromkeys(self._sets(cell.source), cell.cell_id))
        return found

    def causes(self, cell: CodeCell) -> list[StaleCause]:
        """Return why a cell's output is stale, the nearest causes first."""
        last = self._last.get(cell.cell_id)
        if last is None or is_prompt(cell.source):
            return []
        found: dict[tuple[str, str], StaleCause] = {}
        seen = {last}
        waiting: deque[tuple[int, tuple[NameLink, ...]]] = deque([(last, ())])
        while waiting and len(found) < _MAX_CAUSES:
            index, path = waiting.popleft()
            for cause in self._causes_at(index, path):
                found.setdefault((cause.cell_id, cause.change), cause)
            if is_prompt(self._runs[index].source):
                continue  # an agent's answer doesn't follow from its prompt
            for name, setter in self._inputs[index].items():
                if setter not in seen:
                    seen.add(setter)
                    link = NameLink(name=name, cell_id=self._runs[setter].cell_id)
                    waiting.append((setter, (*path, link)))
        return list(found.values())[:_MAX_CAUSES]

    def _causes_at(self, index: int, path: tuple[NameLink, ...]) -> Iterator[StaleCause]:
        run = self._runs[index]
        now = self._sources.get(run.cell_id)
        if now is None or (
            now != run.source and (not self._python or code_of(now) != code_of(run.source))
        ):
            change: Literal["changed", "deleted"] = "deleted" if now is None else "changed"
            yield StaleCause(cell_id=run.cell_id, change=change, path=path, run=index)
            return
        for name, above in self._above[run.cell_id].items():
            setter = self._inputs[index].get(name)
            if setter is None or self._runs[setter].cell_id != above:
                link = NameLink(name=name, cell_id=above)
                yield StaleCause(cell_id=above, change="set_elsewhere", path=(*path, link))
