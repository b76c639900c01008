"""What was measured, for people."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from tests.bench.batches import BatchCost
from tests.bench.cell_start import CellStart
from tests.bench.copies import FolderCopies
from tests.bench.growth import Growth
from tests.bench.hidden import Hidden
from tests.bench.hostile import LATE_MS as LATE_STATUS_MS
from tests.bench.hostile import Hostile
from tests.bench.idle import IdleMemory
from tests.bench.keystrokes import LATE_MS, Keys, Typing
from tests.bench.long_notebook import NotebookTurn
from tests.bench.long_session import LongSession
from tests.bench.measure import Load
from tests.bench.memory import Memory
from tests.bench.notebook_page import NotebookCost, Rest
from tests.bench.pipeline import PipelineCost
from tests.bench.places import Places
from tests.bench.resume import Resume
from tests.bench.reverts import ManyReverted
from tests.bench.sandboxes import SandboxCost
from tests.bench.sessions import ManySessions, Speed
from tests.bench.start import Start
from tests.bench.updates import UpdateCost

__all__ = [
    "COLUMNS",
    "print_batch",
    "print_cell_start",
    "print_copies",
    "print_growth",
    "print_hidden",
    "print_hostile",
    "print_idle",
    "print_load",
    "print_long",
    "print_machine",
    "print_memory",
    "print_notebook",
    "print_notebook_page",
    "print_pipeline",
    "print_places",
    "print_rest",
    "print_resume",
    "print_sessions",
    "print_start",
    "print_typing",
    "print_updates",
]

COLUMNS = {
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


def print_growth(title: str, rows: Sequence[Growth], rounds: int) -> None:
    """Print what a longer answer costs, per chunk beside the shortest one."""
    print(f"\n{title}, median of {rounds}")
    print(
        "  | subject | chunks | painted after s | page CPU s | µs per chunk | beside the shortest |"
        " longest task ms | of it own ms | tasks over 50 ms | elements | at most | layouts |"
    )
    print("  |" + " --- |" + " ---: |" * 11)
    for row in rows:
        shortest = min((r for r in rows if r.subject == row.subject), key=lambda r: r.chunks)
        print(
            f"  | {row.subject} | {row.chunks:,} | {row.painted_after:.2f} | {row.page_cpu:.2f}"
            f" | {row.us_per_chunk:.0f} | {row.us_per_chunk / shortest.us_per_chunk:.2f}"
            f" | {row.long_task_max_ms:.0f} | {row.own_script_max_ms:.0f} | {row.tasks:.0f}"
            f" | {row.elements:,.0f} | {row.max_elements:,.0f} | {row.layouts:,.0f} |"
        )


def print_pipeline(costs: Sequence[PipelineCost]) -> None:
    """Print what a chunk costs in the server."""
    print("\nPipeline, microseconds per chunk of 20 characters")
    for cost in costs:
        print(
            f"  {cost.items:>5} items before: parse {cost.parse:.1f}, "
            f"reduce {cost.reduce:.1f}, deliver {cost.deliver:.1f}"
        )


def print_updates(costs: Sequence[UpdateCost]) -> None:
    """Print what the updates of a session cost."""
    print("\nUpdates of one session, microseconds each (aim: 3 times the SDK's validation)")
    for cost in costs:
        print(
            f"  {cost.updates:>6} updates: json {cost.json:.1f}, SDK {cost.sdk:.1f}, "
            f"ours {cost.ours:.1f} ({cost.ours / cost.sdk:.1f} times), "
            f"kept {cost.kept_bytes / cost.text_bytes:.1f} bytes per byte of text"
        )


def print_sessions(speed: Speed, many: ManySessions) -> None:
    """Print how fast one session is, and a hundred."""
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


def print_hostile(hostile: Sequence[Hostile], rounds: int) -> None:
    """Print how late the server answered others, load by load."""
    print(
        f"\nWhile an agent sends what is hard to take in: milliseconds until /api/status is "
        f"answered, and a page has what the agent of another session said; median of {rounds} "
        f"(aim: p99 under {LATE_STATUS_MS})"
    )
    width = max(len(one.load) for one in hostile)
    print("  " + " " * width + "    p50    p99  longest  said p99  longest  turn s  memory MB")
    for one in hostile:
        late = "  late" if max(one.p99, one.said_p99) > LATE_STATUS_MS else ""
        print(
            f"  {one.load.ljust(width)} {one.p50:6.1f} {one.p99:6.0f} {one.longest:8.0f} "
            f"{one.said_p99:9.0f} {one.said_longest:8.0f} "
            f"{one.seconds:7.1f} {one.memory_mb:+10.0f}{late}"
        )


def print_hidden(hidden: Sequence[Hidden]) -> None:
    """Print how soon a tab that was in the background is up to date."""
    for each in hidden:
        state = "frozen" if each.frozen else "hidden"
        print(
            f"\nA tab that was {state} for {each.seconds:.0f} s of {each.rate} chunks/s: caught up "
            f"{each.caught_up:.2f} s after it was shown (aim: 1), {each.tasks} tasks over 50 ms, "
            f"longest {each.long_task_max_ms:.0f} ms (aim: 100), {each.elements:,} elements"
        )


def print_long(long: LongSession) -> None:
    """Print what a long session is like."""
    print(f"\nA session of {long.items:,} items in the side panel")
    print(
        f"  open after {long.open_ms:.0f} ms (aim: 1,000) with {long.mounted_at_open:,} elements; "
        f"scrolled through in {long.scroll_seconds:.0f} s and {long.frames:,} frames: p99 "
        f"{long.frame_p99_ms:.0f} ms, longest {long.frame_max_ms:.0f} ms, {long.long_tasks} tasks "
        f"over 50 ms (aim: none), longest {long.long_task_max_ms:.0f} ms; "
        f"at most {long.mounted_max:,} elements; memory +{long.heap_mb:.0f} MB of JavaScript, "
        f"+{long.renderer_mb:.0f} MB of the page's process (aim: 150)"
    )


def print_places(places: Places) -> None:
    """Print what a person does in a very long session."""
    print(f"\nA session of {places.items:,} items in the side panel")
    print(
        f"  open after {places.open_seconds:.2f} s with {places.elements:,} elements in the page "
        f"(aim: at most 3,000) and {places.kb:,.0f} kB; an old prompt found by the search in "
        f"{places.search_seconds:.1f} s and {places.searches} requests; exported in "
        f"{places.export_seconds:.1f} s, {places.export_mb:.0f} MB"
    )
    ways = {
        "its beginning": places.to_beginning,
        "its middle": places.to_middle,
        "what was found": places.to_found,
    }
    for place, way in ways.items():
        print(
            f"  {place}: seen after {way.seconds:.2f} s and {way.requests} requests, with "
            f"{way.elements:,} elements in the page"
        )


def print_resume(resume: Resume) -> None:
    """Print how soon a long session is there after the server was started again."""
    print(f"\nA session of {resume.items:,} items after a restart of the server")
    print(
        f"  log {resume.log_mb:.0f} MB in {resume.lines:,} lines, resume point "
        f"{resume.point_mb:.0f} MB; read from its start {resume.whole_seconds:.2f} s of the "
        f"processor, from the point {resume.resumed_seconds:.3f} s (aim: 0.3; "
        f"{resume.resumed_wall:.3f} s by the clock), {resume.lines_read:,} lines; snapshot "
        f"{resume.snapshot_ms:.0f} ms; to write it {resume.write_us:.0f} us a line, "
        f"{resume.points_us:.0f} of them for resume points"
    )


def print_notebook(turns: Sequence[NotebookTurn]) -> None:
    """Print what the turns of a long notebook cost."""
    print("\nTurns of one notebook; what a page gets of them, and ms of the server's processor")
    print("| turn | kB told | ms | kB of all turns | ms | ms of the turn |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: |")
    for each in turns:
        print(
            f"| {each.turn} | {each.told_kb:.1f} | {each.told_ms:.0f} | {each.whole_kb:,.1f} | "
            f"{each.whole_ms:.0f} | {each.turn_ms:.0f} |"
        )


def print_notebook_page(costs: Sequence[NotebookCost], rounds: int) -> None:
    """Print what a notebook costs in the page, each row beside the shortest of its kind."""
    print(f"\nNotebooks of finished turns, and of their words alone; median of {rounds}")
    print(
        "| step | outputs | turns | s | page CPU ms | beside the shortest | server CPU ms | "
        "kB over the socket | elements in outputs |"
    )
    print("| --- | --- |" + " ---: |" * 7)
    shortest = {(c.step, c.outputs): c for c in sorted(costs, key=lambda c: -c.turns)}
    for cost in costs:
        beside = cost.page_cpu / shortest[cost.step, cost.outputs].page_cpu
        print(
            f"| {cost.step} | {cost.outputs} | {cost.turns} | {cost.seconds:.2f} | "
            f"{1e3 * cost.page_cpu:,.0f} | {beside:.2f} | {1e3 * cost.server_cpu:,.0f} | "
            f"{cost.kb:,.1f} | {cost.elements:,.0f} |"
        )


def print_rest(rests: Sequence[Rest]) -> None:
    """Print what a page does that nobody touches."""
    print("\nA page at rest with a notebook that is open")
    print(
        "| outputs | turns | s | page CPU ms | of it scripts ms | requests | of these ours | "
        "messages of ours |"
    )
    print("| --- |" + " ---: |" * 7)
    for rest in rests:
        print(
            f"| {rest.outputs} | {rest.turns} | {rest.seconds:.0f} | {rest.page_ms:.0f} | "
            f"{rest.script_ms:.0f} | {rest.requests} | {rest.own_requests} | {rest.own_frames} |"
        )


def print_memory(memory: Memory) -> None:
    """Print what finished turns leave in the server's memory."""
    print(f"\nMemory of the server, {memory.sessions} sessions, turns of 26 items")
    for turns, held in zip(memory.turns, memory.held, strict=True):
        print(f"  {turns:>6,} turns: {held:+.1f} MB")
    print(
        f"  {memory.per_1000_turns:.1f} MB per 1,000 turns (aim: under 10); a turn of "
        f"{memory.long_mib} MB: {memory.long_held:+.0f} MB held (aim: under 50), "
        f"{memory.long_peak:+.0f} MB at most"
    )


def print_idle(idle: IdleMemory) -> None:
    """Print what a server holds of sessions in which nothing happens."""
    print(
        f"\n{idle.sessions} idle sessions of {idle.items:,} items, opened again: "
        f"{idle.opened:+.0f} MB (aim: under 200); {idle.worked_sessions} sessions of "
        f"{idle.worked_items:,} items after their work {idle.worked:+.0f} MB, at rest "
        f"{idle.rested:+.0f} MB"
    )


def print_load(
    load: Load,
    medians: dict[str, dict[str, float | None]],
    loads: tuple[float, float],
    rounds: int,
) -> None:
    """Print a row for each subject."""
    print(f"\n{load.name}: median of {rounds}, load average {loads[0]:.1f} to {loads[1]:.1f}")
    width = max(map(len, medians))
    print(" " * width, *(title for title, _ in COLUMNS.values()), sep="  ")
    for name, values in medians.items():
        cells = (
            ("-" if values[key] is None else form.format(values[key])).rjust(len(title))
            for key, (title, form) in COLUMNS.items()
        )
        print(name.ljust(width), *cells, sep="  ")


def print_start(start: Start) -> None:
    """Print what JupyterLab's start loads of ours."""
    print("\nJupyterLab's start, compressed bytes of ours")
    print(
        f"  {start.at_start / 1000:.0f} kB in {start.files} files (aim: under 150), "
        f"{start.first_use / 1000:.0f} kB more when the panel is first shown"
    )


def print_sandboxes(cost: SandboxCost) -> None:
    """Print what a sandbox adds to an agent."""
    off, held = cost.start_ms["off"], cost.held_mib["off"]
    print(f"\nAn agent's start, and the memory of each of {cost.sessions} sessions")
    for kind, start in cost.start_ms.items():
        more, memory = start - off, cost.held_mib[kind]
        print(
            f"  {kind:<8} {start:5.0f} ms ({more:+.0f}, aim: under +100)   "
            f"{memory:5.1f} MiB ({memory - held:+.1f}, aim: under +5)"
        )


def print_cell_start(start: CellStart) -> None:
    """Print what a cell costs before its agent works."""
    print("\nStart of a cell, milliseconds")
    print(
        f"  %load_ext in a fresh kernel {start.load_ms:.0f} (aim: under 150), "
        f"from run to the prompt in the agent's hands {start.overhead_ms:.0f} (aim: under 100); "
        f"imported though not needed: {', '.join(start.imported) or 'nothing'}"
    )


def print_batch(cost: BatchCost) -> None:
    """Print what a batch adds to papermill."""
    print(f"\nA job with a turn of the demo agent, seconds; {cost.jobs} one after the other")
    for name, seconds, cpu in (
        ("papermill alone", cost.papermill_seconds, cost.papermill_cpu),
        ("batch", cost.batch_seconds, cost.batch_cpu),
    ):
        print(f"  {name.ljust(16)} {seconds:.2f}, of processors {cpu:.2f}")
    print(
        f"  batch beside papermill {cost.batch_seconds / cost.papermill_seconds:.2f} "
        f"(aim: under 1.5), of processors {cost.batch_cpu / cost.papermill_cpu:.2f}"
    )


def print_copies(copies: FolderCopies) -> None:
    """Print what the copies of a large folder cost."""
    megabytes = copies.files * copies.file_bytes / 1e6
    print(f"\nCopies of {megabytes:,.0f} MB in {copies.files:,} files, for variants")
    print(f"  the first, with a fifth of it new  {copies.stored_seconds:.1f} s")
    print(f"  the first, with nothing new        {copies.again_seconds:.1f} s")
    print(f"  one more                           {copies.copy_seconds:.1f} s")
    print(f"  of the disk                        {copies.copy_bytes / 1e6:,.1f} MB")
    print(f"  the others after an append         {'same' if copies.unchanged else 'CHANGED'}")


def print_reverts(many: ManyReverted) -> None:
    """Print what it takes to revert many files, and git for the same."""
    print(f"\nA turn reverted that changed {many.files:,} files of {many.file_bytes:,} bytes")
    for name, rounds in (("Revert", many.reverted), ("git read-tree -u", many.git)):
        clock, processor = (statistics.median(each[place] for each in rounds) for place in (0, 1))
        print(f"  {name.ljust(18)} {clock:.2f} s, of the processor {processor:.2f} s")


def print_typing(typing: Typing) -> None:
    """Print how late keys are painted."""
    print(f"\nTyping in a cell, milliseconds from key to paint; {len(typing.alone)} rounds")
    for name, rounds in (
        ("alone", typing.alone),
        (f"beside {typing.rate} chunks/s", typing.streaming),
    ):
        print(f"  {name.ljust(24)} {_keys(rounds)}")


def _keys(rounds: Sequence[Keys]) -> str:
    """Medians of the rounds; the longest and the late ones of all of them."""
    return (
        f"p50 {statistics.median(keys.p50 for keys in rounds):.0f}, "
        f"p99 {statistics.median(keys.p99 for keys in rounds):.0f}, "
        f"longest {statistics.median(keys.longest for keys in rounds):.0f} "
        f"(of all rounds {max(keys.longest for keys in rounds):.0f}), "
        f"over {LATE_MS}: {sum(keys.late for keys in rounds)} of "
        f"{sum(keys.count for keys in rounds)} (aim: none); the browser's own longest "
        f"{max(keys.told_longest for keys in rounds):.0f}"
    )


def print_machine(before: float, after: float) -> None:
    """Print what else the machine did."""
    print(f"  (load average {before:.1f} to {after:.1f})", flush=True)
