"""``make bench``: the cost of a stream, measured in one run beside a bare loop.

Aims, of the median: painted within 1 s of the agent's last write, messages of at most 1.5 times
the bytes of the text, no task over 100 ms, no delay added at 100 chunks per second.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import statistics
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tests.bench.long_session import LongSession, measure_long_session
from tests.bench.measure import Load, Run
from tests.bench.pipeline import measure_pipeline
from tests.bench.sessions import ManySessions, Speed, measure_many, measure_speed
from tests.bench.subjects import Subject, bare_loop, cell_turn
from tests.bench.updates import SIZES, UpdateCost, measure_updates
from tests.support.browser import chromium

_LOADS = (Load(5_000, 0), Load(1_000, 100))
_ITEMS = (100, 5_000)
_COLUMNS = {
    "painted_after": ("painted after s", "{:.3f}"),
    "delay_p50_ms": ("delay p50 ms", "{:.0f}"),
    "delay_p99_ms": ("delay p99 ms", "{:.0f}"),
    "frames": ("frames", "{:.0f}"),
    "message_ratio": ("bytes/text", "{:.2f}"),
    "wire_ratio": ("on the wire", "{:.2f}"),
    "long_task_sum_ms": ("long tasks ms", "{:.0f}"),
    "long_task_max_ms": ("longest ms", "{:.0f}"),
    "own_script_max_ms": ("of it own ms", "{:.0f}"),
    "server_cpu": ("server CPU s", "{:.2f}"),
    "browser_cpu": ("browser CPU s", "{:.2f}"),
    "page_cpu": ("page CPU s", "{:.2f}"),
}


def main() -> None:
    """Measure, and print tables and one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    report: dict[str, Any] = {"rounds": rounds, "processors": os.cpu_count()}
    report["pipeline_us_per_chunk"] = [
        dataclasses.asdict(measure_pipeline(items)) for items in _ITEMS
    ]
    _print_pipeline(report["pipeline_us_per_chunk"])
    costs = [measure_updates(updates) for updates in SIZES]
    report["updates"] = [dataclasses.asdict(cost) for cost in costs]
    _print_updates(costs)
    with tempfile.TemporaryDirectory() as folder:
        speed = measure_speed(Path(folder) / "speed")
        many = measure_many(Path(folder) / "many")
    report["speed"], report["many"] = dataclasses.asdict(speed), dataclasses.asdict(many)
    _print_sessions(speed, many)
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        long = measure_long_session(browser, Path(folder))
    report["long_session"] = dataclasses.asdict(long)
    _print_long(long)
    with tempfile.TemporaryDirectory() as folder, chromium() as browser, ExitStack() as stack:
        subjects: tuple[Subject, ...] = (
            stack.enter_context(cell_turn(browser, Path(folder))),
            stack.enter_context(bare_loop(browser, 0.033)),
            stack.enter_context(bare_loop(browser, 0)),
        )
        report["loads"] = [_measure(load, subjects, rounds) for load in _LOADS]
    print(json.dumps(report))


def _measure(load: Load, subjects: Sequence[Subject], rounds: int) -> dict[str, Any]:
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
    _print(load, medians, loads, rounds)
    each = {name: [dataclasses.asdict(run) for run in done] for name, done in runs.items()}
    return {"load": load.name, "machine_load": loads, "medians": medians, "runs": each}


def _median(runs: Sequence[Run]) -> dict[str, float | None]:
    columns = {name: [getattr(run, name) for run in runs] for name in _COLUMNS}
    return {
        name: None if None in values else statistics.median(values)
        for name, values in columns.items()
    }


def _print_pipeline(costs: Sequence[dict[str, float]]) -> None:
    print("\nPipeline, microseconds per chunk of 20 characters")
    for cost in costs:
        print(
            f"  {cost['items']:>5} items before: parse {cost['parse']:.1f}, "
            f"reduce {cost['reduce']:.1f}, deliver {cost['deliver']:.1f}"
        )


def _print_updates(costs: Sequence[UpdateCost]) -> None:
    print("\nUpdates of one session, microseconds each (aim: 3 times the SDK's validation)")
    for cost in costs:
        print(
            f"  {cost.updates:>6} updates: json {cost.json:.1f}, SDK {cost.sdk:.1f}, "
            f"ours {cost.ours:.1f} ({cost.ours / cost.sdk:.1f} times), "
            f"kept {cost.kept_bytes / cost.text_bytes:.1f} bytes per byte of text"
        )


def _print_sessions(speed: Speed, many: ManySessions) -> None:
    print(f"\n{speed.updates:,} updates of one session, per second, from stdin to the socket")
    print(
        f"  bare loop {speed.bare:,.0f}, the SDK's client {speed.sdk:,.0f}, ours {speed.ours:,.0f}"
        f" ({speed.ours / speed.sdk:.1f} times the SDK's; aim: 3)"
    )
    print(f"\n{many.sessions} sessions in one process, {many.updates:,} updates")
    print(
        f"  in {many.seconds:.1f} s, lost {many.lost}; lag of the server's loop p50 "
        f"{many.lag_p50_ms:.1f} ms, p99 {many.lag_p99_ms:.1f} ms, longest {many.lag_max_ms:.0f} ms "
        f"(aim: p99 under 50); CPU {many.server_cpu:.1f} s, memory +{many.memory_mb:.0f} MB"
    )


def _print_long(long: LongSession) -> None:
    print(f"\nA session of {long.items:,} items in the side panel")
    print(
        f"  open after {long.open_ms:.0f} ms (aim: 1,000) with {long.mounted_at_open:,} elements; "
        f"scrolled through in {long.scroll_seconds:.0f} s and {long.frames:,} frames: p99 "
        f"{long.frame_p99_ms:.0f} ms, longest {long.frame_max_ms:.0f} ms, {long.long_tasks} tasks "
        f"over 50 ms (aim: none), longest {long.long_task_max_ms:.0f} ms; "
        f"at most {long.mounted_max:,} elements"
    )


def _print(
    load: Load,
    medians: dict[str, dict[str, float | None]],
    loads: tuple[float, float],
    rounds: int,
) -> None:
    print(f"\n{load.name}: median of {rounds}, load average {loads[0]:.1f} to {loads[1]:.1f}")
    width = max(map(len, medians))
    print(" " * width, *(title for title, _ in _COLUMNS.values()), sep="  ")
    for name, values in medians.items():
        cells = (
            ("-" if values[key] is None else form.format(values[key])).rjust(len(title))
            for key, (title, form) in _COLUMNS.items()
        )
        print(name.ljust(width), *cells, sep="  ")


if __name__ == "__main__":
    main()
