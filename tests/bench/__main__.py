"""``make bench``: what speed a user gets, measured in one run in a real browser.

Aims, of the median: painted within 1 s of the agent's last write, messages of at most 1.5 times
the bytes of the text, no task over 100 ms, no delay added at 100 chunks per second; no key later
than 50 ms beside a stream; 100,000 chunks painted as soon as 5,000, each by as much work within
a quarter, in a page of at most 3,000 elements; 5,000 items open within 1 s, scroll with no frame
over 50 ms, and take less than 150 MB; 100,000 items are back within 300 ms after a restart; the
300th turn of a notebook brings what the third does, and opening, the next prompt, saving and
closing cost its page what they cost with 3, within a quarter; a page at rest does nothing; of 1,000
finished turns less than 10 MB held, and of 200 MB in one turn less than 50; 100 idle sessions of
10,000 items hold less than 200; less than 150 kB more for JupyterLab's start;
%load_ext within 150 ms and 100 ms from a cell to its prompt; the server's status within 100 ms, of
99 in 100, whatever an agent sends; a batch's job takes less than 1.5 times what it takes papermill;
an agent in a sandbox starts at most 100 ms later, and each of 100 holds at most 5 MB more.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tests.bench import tables
from tests.bench.batches import measure_batch
from tests.bench.cell_start import measure_cell_start
from tests.bench.copies import measure_copies
from tests.bench.growth import Growth, measure_blocks, measure_growth
from tests.bench.growth_picture import growth_picture
from tests.bench.hidden import measure_hidden
from tests.bench.hostile import measure_hostile
from tests.bench.idle import measure_idle
from tests.bench.keystrokes import measure_typing
from tests.bench.loads import measure_load
from tests.bench.long_notebook import measure_notebook
from tests.bench.long_session import measure_long_session
from tests.bench.machine import machine
from tests.bench.measure import Load
from tests.bench.memory import measure_memory
from tests.bench.notebook_page import measure_notebook_page, measure_rest
from tests.bench.peers.beside import measure_beside
from tests.bench.peers.environment import PEERS
from tests.bench.pipeline import measure_pipeline
from tests.bench.places import measure_places
from tests.bench.resume import measure_resume
from tests.bench.reverts import measure_reverts
from tests.bench.sandboxes import measure_sandboxes
from tests.bench.sessions import measure_many, measure_speed
from tests.bench.start import measure_start
from tests.bench.subjects import bare_loop, cell_turn
from tests.bench.updates import SIZES, measure_updates
from tests.support.browser.chromium import chromium

_LOADS = (Load(5_000, 0), Load(1_000, 100))
_ITEMS = (100, 5_000)

Report = dict[str, Any]


def main() -> None:
    """Measure, and print tables and one line of JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="+", choices=_PARTS, metavar="PART", help=str([*_PARTS]))
    parser.add_argument(
        "--beside",
        nargs="+",
        choices=PEERS,
        default=[],
        help="also measure these, installed in an environment of their own in the user's cache",
    )
    parser.add_argument("--picture", type=Path, help="an SVG file, for the part growth")
    wanted = parser.parse_args()
    report: Report = {"rounds": wanted.rounds, "machine": machine()}
    print(*(f"{name}: {value}" for name, value in report["machine"].items()), sep="\n")
    parts = wanted.only if wanted.only is not None else [] if wanted.beside else [*_PARTS]
    for part in parts:
        before = os.getloadavg()[0]
        report |= _PARTS[part](wanted.rounds)
        tables.print_machine(before, os.getloadavg()[0])
    if wanted.beside:
        with tempfile.TemporaryDirectory() as folder, chromium() as browser:
            report["beside"] = measure_beside(browser, Path(folder), wanted.beside, wanted.rounds)
    if wanted.picture is not None and "growth" in report:
        wanted.picture.write_text(growth_picture([Growth(**row) for row in report["growth"]]))
    print(json.dumps(report))


def _server(_rounds: int) -> Report:
    pipeline = [measure_pipeline(items) for items in _ITEMS]
    tables.print_pipeline(pipeline)
    updates = [measure_updates(updates) for updates in SIZES]
    tables.print_updates(updates)
    with tempfile.TemporaryDirectory() as folder:
        speed = measure_speed(Path(folder) / "speed")
        many = measure_many(Path(folder) / "many")
    tables.print_sessions(speed, many)
    return {
        "pipeline_us_per_chunk": list(map(dataclasses.asdict, pipeline)),
        "updates": list(map(dataclasses.asdict, updates)),
        "speed": dataclasses.asdict(speed),
        "many": dataclasses.asdict(many),
    }


def _hostile(rounds: int) -> Report:
    hostile = measure_hostile(rounds)
    tables.print_hostile(hostile, rounds)
    return {"hostile": list(map(dataclasses.asdict, hostile))}


def _hidden(_rounds: int) -> Report:
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        hidden = measure_hidden(browser, Path(folder))
    tables.print_hidden(hidden)
    return {"hidden": list(map(dataclasses.asdict, hidden))}


def _start(_rounds: int) -> Report:
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        start = measure_start(browser, Path(folder))
    tables.print_start(start)
    return {"start": dataclasses.asdict(start)}


def _sandbox(rounds: int) -> Report:
    with tempfile.TemporaryDirectory() as folder:
        cost = measure_sandboxes(Path(folder), rounds)
    tables.print_sandboxes(cost)
    return {"sandbox": dataclasses.asdict(cost)}


def _cell(rounds: int) -> Report:
    with tempfile.TemporaryDirectory() as folder:
        start = measure_cell_start(Path(folder), rounds)
    tables.print_cell_start(start)
    return {"cell_start": dataclasses.asdict(start)}


def _batch(rounds: int) -> Report:
    with tempfile.TemporaryDirectory() as folder:
        cost = measure_batch(Path(folder), rounds)
    tables.print_batch(cost)
    return {"batch": dataclasses.asdict(cost)}


def _try(_rounds: int) -> Report:
    with tempfile.TemporaryDirectory() as folder:
        copies = measure_copies(Path(folder))
    tables.print_copies(copies)
    return {"copies": dataclasses.asdict(copies)}


def _revert(rounds: int) -> Report:
    found = []
    for size in (40, 10_000):
        with tempfile.TemporaryDirectory() as folder:
            found.append(measure_reverts(Path(folder), rounds, file_bytes=size))
        tables.print_reverts(found[-1])
    return {"reverts": list(map(dataclasses.asdict, found))}


def _long(_rounds: int) -> Report:
    with tempfile.TemporaryDirectory() as folder:
        # First: where a browser runs, no other event loop does.
        resume = measure_resume(Path(folder) / "resume")
        tables.print_resume(resume)
        with chromium() as browser:
            long = measure_long_session(browser, Path(folder))
            tables.print_long(long)
            places = measure_places(browser, Path(folder) / "places")
            tables.print_places(places)
    return {
        "long_session": dataclasses.asdict(long),
        "places": dataclasses.asdict(places),
        "resume": dataclasses.asdict(resume),
    }


def _memory(_rounds: int) -> Report:
    with tempfile.TemporaryDirectory() as folder:
        memory = measure_memory(Path(folder))
    tables.print_memory(memory)
    return {"memory": dataclasses.asdict(memory)}


def _idle(_rounds: int) -> Report:
    with tempfile.TemporaryDirectory() as folder:
        idle = measure_idle(Path(folder))
    tables.print_idle(idle)
    return {"idle": dataclasses.asdict(idle)}


def _typing(rounds: int) -> Report:
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        typing = measure_typing(browser, Path(folder), rounds)
    tables.print_typing(typing)
    return {"typing": dataclasses.asdict(typing)}


def _stream(rounds: int) -> Report:
    with tempfile.TemporaryDirectory() as folder, chromium() as browser, ExitStack() as stack:
        subjects = (
            stack.enter_context(cell_turn(browser, Path(folder))),
            stack.enter_context(bare_loop(browser, 0.033)),
            stack.enter_context(bare_loop(browser, 0)),
        )
        return {"loads": [measure_load(load, subjects, rounds) for load in _LOADS]}


def _notebook(rounds: int) -> Report:
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        turns = measure_notebook(Path(folder))
        tables.print_notebook(turns)
        page = measure_notebook_page(browser, Path(folder) / "page", rounds)
    tables.print_notebook_page(page, rounds)
    return {
        "notebook": list(map(dataclasses.asdict, turns)),
        "notebook_page": list(map(dataclasses.asdict, page)),
    }


def _rest(_rounds: int) -> Report:
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        rests = measure_rest(browser, Path(folder))
    tables.print_rest(rests)
    return {"rest": list(map(dataclasses.asdict, rests))}


def _growth(rounds: int) -> Report:
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        growth = measure_growth(browser, Path(folder), rounds)
        blocks = measure_blocks(browser, Path(folder), rounds)
    tables.print_growth("Answers of 20-character chunks flat out", growth, rounds)
    tables.print_growth("One block that grows, in the panel", blocks, rounds)
    return {
        "growth": list(map(dataclasses.asdict, growth)),
        "blocks": list(map(dataclasses.asdict, blocks)),
    }


_PARTS: Mapping[str, Callable[[int], Report]] = {
    "server": _server,
    "hostile": _hostile,
    "start": _start,
    "sandbox": _sandbox,
    "cell": _cell,
    "long": _long,
    "memory": _memory,
    "idle": _idle,
    "typing": _typing,
    "stream": _stream,
    "growth": _growth,
    "notebook": _notebook,
    "rest": _rest,
    "hidden": _hidden,
    "batch": _batch,
    "try": _try,
    "revert": _revert,
}

if __name__ == "__main__":
    main()
