"""An answer that grows: what 5,000, 20,000, 40,000 and 100,000 chunks cost the page, each."""

from __future__ import annotations

import dataclasses
import statistics
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser

from tests.bench.measure import Load, Run
from tests.bench.peers.panels import our_panel
from tests.bench.subjects import Subject, bare_loop, cell_turn

__all__ = ["SIZES", "Growth", "measure_blocks", "measure_growth"]

# One block that grows: its line, how often, what is before and after it.
_BLOCKS = {
    "a code block": ("value = compute(value)  # line %d\n", 20_000, "```python\n", "```\n"),
    "a table": (
        "| %d | some words | of a row |\n",
        5_000,
        "| n | a | b |\n| --- | --- | --- |\n",
        "",
    ),
    "a paragraph": ("some words of *sentence %d*, and more. ", 13_000, "", "\n"),
    "a list": ("%d. an item with some `words`\n", 10_000, "", ""),
}

SIZES = (5_000, 20_000, 40_000, 100_000)

_COLUMNS = (
    "painted_after",
    "page_cpu",
    "long_task_max_ms",
    "own_script_max_ms",
    "elements",
    "max_elements",
    "layouts",
    "tasks",
    "frames",
)


@dataclass(frozen=True, slots=True)
class Growth:
    """One subject under one load; medians of the rounds."""

    subject: str
    chunks: int
    painted_after: float
    page_cpu: float
    long_task_max_ms: float
    own_script_max_ms: float
    elements: float
    """In the page, at rest after the end."""
    max_elements: float
    """In the page, at any frame."""
    layouts: float
    tasks: float
    frames: float

    @property
    def us_per_chunk(self) -> float:
        return 1e6 * self.page_cpu / self.chunks


def measure_growth(
    browser: Browser, folder: Path, rounds: int, sizes: Sequence[int] = SIZES
) -> list[Growth]:
    """Let cell, panel and bare loop take turns, each with every size in each round."""
    runs: dict[tuple[str, int], list[Run]] = {}
    with ExitStack() as stack:
        subjects: Sequence[Subject] = (
            stack.enter_context(cell_turn(browser, folder / "cell")),
            stack.enter_context(_panel(browser, folder / "panel")),
            stack.enter_context(bare_loop(browser, 0.033)),
        )
        for subject in subjects:
            subject.run(Load(200, 0))  # warm
        for _ in range(rounds):
            for size in sizes:
                for subject in subjects:
                    run = subject.run(Load(size, 0))
                    runs.setdefault((subject.name, size), []).append(run)
    return [_median(subject, size, done) for (subject, size), done in sorted(runs.items())]


def measure_blocks(browser: Browser, folder: Path, rounds: int) -> list[Growth]:
    """Let one block grow in the panel, a quarter of it and the whole."""
    runs: dict[tuple[str, int], list[Run]] = {}
    with _panel(browser, folder / "blocks") as panel:
        panel.run(Load(200, 0))  # warm
        for _ in range(rounds):
            for name, (line, times, before, after) in _BLOCKS.items():
                for count in (times // 4, times):
                    lines = "".join(line % number for number in range(1, count + 1))
                    text = f"{before}{lines}{after}\nEND"
                    load = Load(len(text) // 20, 0, whole=text)
                    done = runs.setdefault((name, load.count), [])
                    done.append(panel.run(load))
    return [_median(name, count, done) for (name, count), done in runs.items()]


@contextmanager
def _panel(browser: Browser, folder: Path) -> Iterator[Subject]:
    folder.mkdir(parents=True)
    with our_panel(browser, folder, new_sessions=True) as panel:
        yield dataclasses.replace(panel, name="side panel")


def _median(subject: str, size: int, runs: Sequence[Run]) -> Growth:
    columns: dict[str, Any] = {
        name: statistics.median(getattr(run, name) for run in runs) for name in _COLUMNS
    }
    return Growth(subject, size, **columns)
