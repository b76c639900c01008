"""Shows the progress of a batch: a live table in a notebook, a bar at a terminal, or nothing."""

from __future__ import annotations

import html
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, Protocol

from acp_jupyter.features.batches.jobs import JobSpec
from acp_jupyter.features.batches.results import JobResult, counted
from acp_jupyter.kernel.execution_context import execution_context

_LOOK_SECONDS = 0.5
_MAX_FAILED = 5
_ERROR_CHARS = 300


class Progress(Protocol):
    """Shows the progress of a batch."""

    def show(self, results: Sequence[JobResult], running: Iterable[JobSpec]) -> None:
        """Show the progress; called often."""

    def close(self, results: Sequence[JobResult]) -> None:
        """Show the final state."""


def progress_of(specs: Sequence[JobSpec], *, wanted: bool) -> Progress:
    """Return the display that fits the front end: a notebook, a terminal or a script."""
    if not wanted:
        return _Nothing()
    if execution_context().frontend in {"terminal", "script"}:
        return _Bar(len(specs)) if sys.stderr is not None and sys.stderr.isatty() else _Nothing()
    return _Table(specs)


class _Nothing:
    def show(self, results: Sequence[JobResult], running: Iterable[JobSpec]) -> None:
        """Show nothing."""

    def close(self, results: Sequence[JobResult]) -> None:
        """Show nothing."""


class _Bar:
    """A tqdm bar; tqdm is installed with papermill."""

    def __init__(self, count: int) -> None:
        from tqdm import tqdm  # type: ignore[import-untyped]

        self._bar: Any = tqdm(total=count, unit="job", leave=True)

    def show(self, results: Sequence[JobResult], running: Iterable[JobSpec]) -> None:
        """Update the bar."""
        failed = sum(result.status != "done" for result in results)
        self._bar.set_postfix_str(f"{failed} failed" if failed else "", refresh=False)
        self._bar.update(len(results) - self._bar.n)

    def close(self, results: Sequence[JobResult]) -> None:
        """Update the bar for the last time and leave it visible."""
        self.show(results, ())
        self._bar.close()


class _Table:
    """A table with a row for each agent, in the output of the cell that calls `batch`."""

    def __init__(self, specs: Sequence[JobSpec]) -> None:
        from IPython.display import display

        self._specs = specs
        self._shown, self._at = "", 0.0
        nothing = {"text/plain": ""}
        self._handle: Any = display(nothing, raw=True, display_id=True)  # type: ignore[no-untyped-call]

    def show(self, results: Sequence[JobResult], running: Iterable[JobSpec]) -> None:
        """Update the output if something is new and the last update is not too recent."""
        if time.monotonic() - self._at >= _LOOK_SECONDS:
            self._draw(results, Counter(spec.agent for spec in running))

    def close(self, results: Sequence[JobResult]) -> None:
        """Update the output for the last time."""
        self._draw(results, Counter())

    def _draw(self, results: Sequence[JobResult], running: Counter[str]) -> None:
        page = table_html(self._specs, results, running)
        if page == self._shown:
            return
        self._shown, self._at = page, time.monotonic()
        words = f"{len(results)} of {len(self._specs)} jobs: {counted(tuple(results))}"
        with suppress(AttributeError):  # this front end can't update a display
            self._handle.update({"text/html": page, "text/plain": words}, raw=True)


_HEAD = ("Agent", "Done", "Failed", "Running", "Waiting", "Mean grade", "Tokens", "Mean time")


def table_html(
    specs: Sequence[JobSpec], results: Sequence[JobResult], running: Counter[str]
) -> str:
    """Return the table of a batch."""
    agents = dict.fromkeys(spec.agent for spec in specs)
    waiting = Counter(spec.agent for spec in specs)
    waiting.subtract(result.agent for result in results)
    waiting.subtract(running)
    rows = [
        _row(agent, [r for r in results if r.agent == agent], running[agent], waiting[agent])
        for agent in agents
    ]
    head = "".join(f"<th>{name}</th>" for name in _HEAD)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    bar = f'<progress max="{len(specs)}" value="{len(results)}"></progress>'
    return (
        f"<p>{bar} {len(results)} of {len(specs)} jobs</p>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{_failed(results)}"
    )


def _row(agent: str, results: list[JobResult], running: int, waiting: int) -> list[str]:
    done = [result for result in results if result.status == "done"]
    grades = [result.grade for result in done if result.grade is not None]
    tokens = [result.tokens for result in results if result.tokens is not None]
    return [
        html.escape(agent) or "the notebook's",
        str(len(done)),
        str(len(results) - len(done)),
        str(running),
        str(waiting),
        f"{sum(grades) / len(grades):.3g}" if grades else "",
        f"{sum(tokens):,}" if tokens else "",
        f"{sum(result.seconds for result in done) / len(done):.1f} s" if done else "",
    ]


def _failed(results: Sequence[JobResult]) -> str:
    """Return the errors of failed jobs, each once with its number of jobs."""
    errors = Counter((r.agent, r.error) for r in results if r.status != "done")
    lines = [
        f"<li>{html.escape(f'{agent}: ' if agent else '')}{html.escape(error[:_ERROR_CHARS])}"
        f"{f' ({count} jobs)' if count > 1 else ''}</li>"
        for (agent, error), count in errors.most_common(_MAX_FAILED)
    ]
    more = len(errors) - _MAX_FAILED
    lines += [f"<li>and {more} other errors</li>"] if more > 0 else []
    return f"<ul>{''.join(lines)}</ul>" if lines else ""
