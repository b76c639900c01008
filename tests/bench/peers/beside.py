"""The same agent and the same chunks in several panels, each in a JupyterLab of its own."""

from __future__ import annotations

import dataclasses
import os
import statistics
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser
from playwright.sync_api import TimeoutError as TooLate

from tests.bench.measure import Load, Run
from tests.bench.peers.panels import OPENERS, Panel, our_panel

__all__ = ["measure_beside"]

_LOADS = (Load(500, 0), Load(1_000, 100), Load(5_000, 0), Load(20_000, 0), Load(100_000, 0))
"""The lightest first: who can't show one is not asked for the next."""
_COLUMNS = {
    "painted_after": ("painted after s", "{:.2f}"),
    "delay_p50_ms": ("delay p50 ms", "{:.0f}"),
    "delay_p99_ms": ("delay p99 ms", "{:.0f}"),
    "message_ratio": ("bytes/text", "{:.1f}"),
    "long_task_sum_ms": ("long tasks ms", "{:.0f}"),
    "long_task_max_ms": ("longest ms", "{:.0f}"),
    "server_cpu": ("server CPU s", "{:.2f}"),
    "browser_cpu": ("browser CPU s", "{:.2f}"),
}


def measure_beside(
    browser: Browser, folder: Path, names: Sequence[str], rounds: int
) -> list[dict[str, Any]]:
    """Let them take turns under each load; print a table for each."""
    with ExitStack() as stack:
        panels: list[Panel] = [stack.enter_context(our_panel(browser, folder / "ours"))]
        panels += [stack.enter_context(OPENERS[name](browser, folder / name)) for name in names]
        for panel in panels:
            panel.run(Load(100, 0))  # warm
        report = []
        for load in _LOADS:
            before = os.getloadavg()[0]
            runs = _runs(load, panels, rounds)
            loads = (before, os.getloadavg()[0])
            _print(load, runs, loads)
            each = {name: [dataclasses.asdict(run) for run in done] for name, done in runs.items()}
            report.append({"load": load.name, "machine_load": loads, "runs": each})
            panels = [panel for panel in panels if runs[panel.name]]
    return report


def _runs(load: Load, panels: Sequence[Panel], rounds: int) -> dict[str, list[Run]]:
    runs: dict[str, list[Run]] = {panel.name: [] for panel in panels}
    late: set[str] = set()
    for _ in range(rounds):
        for panel in panels:
            if panel.name in late:
                continue
            try:
                runs[panel.name].append(panel.run(load))
            except TooLate:
                late.add(panel.name)
                runs[panel.name].clear()
    return runs


def _print(load: Load, runs: Mapping[str, Sequence[Run]], loads: tuple[float, float]) -> None:
    print(f"\nBeside others, {load.name}; load average {loads[0]:.1f} to {loads[1]:.1f}")
    width = max(map(len, runs))
    print(" " * width, *(title for title, _ in _COLUMNS.values()), sep="  ")
    for name, done in runs.items():
        if not done:
            print(name.ljust(width), " did not show the end within two minutes")
            continue
        cells = (
            _cell(key, form, done).rjust(len(title)) for key, (title, form) in _COLUMNS.items()
        )
        print(name.ljust(width), *cells, sep="  ", flush=True)


def _cell(key: str, form: str, runs: Sequence[Run]) -> str:
    values = [value for run in runs if (value := getattr(run, key)) is not None]
    return form.format(statistics.median(values)) if values else "-"
