"""Several subjects under the same load, in turns."""

from __future__ import annotations

import dataclasses
import os
import statistics
from collections.abc import Sequence
from typing import Any

from tests.bench.measure import Load, Run
from tests.bench.subjects import Subject
from tests.bench.tables import COLUMNS, print_load

__all__ = ["measure_load"]


def measure_load(load: Load, subjects: Sequence[Subject], rounds: int) -> dict[str, Any]:
    """Let the subjects take turns, so that the machine's moods hit all of them."""
    for subject in subjects:
        subject.run(Load(200, 0))  # warm
    before = os.getloadavg()[0]
    runs: dict[str, list[Run]] = {subject.name: [] for subject in subjects}
    for _ in range(rounds):
        for subject in subjects:
            runs[subject.name].append(subject.run(load))
    loads = (before, os.getloadavg()[0])
    medians = {name: _median(done) for name, done in runs.items()}
    print_load(load, medians, loads, rounds)
    each = {name: [dataclasses.asdict(run) for run in done] for name, done in runs.items()}
    return {"load": load.name, "machine_load": loads, "medians": medians, "runs": each}


def _median(runs: Sequence[Run]) -> dict[str, float | None]:
    columns = {name: [getattr(run, name) for run in runs] for name in COLUMNS}
    return {
        name: None if not values or None in values else statistics.median(values)
        for name, values in columns.items()
    }
