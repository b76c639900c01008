"""What a batch adds to papermill, a job."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from tests.support.kernel.cells import jupyter_environment
from tests.support.kernel.notebook_file import new_notebook, write_notebook

__all__ = ["BatchCost", "measure_batch"]

_JOBS = 5
_COMMON = """\
import sys, warnings
warnings.simplefilter("ignore")
count = int(sys.argv[1])
params = [{"name": f"n{n}.txt"} for n in range(count)]
"""
_PAPERMILL = f"""{_COMMON}
import papermill
for number, each in enumerate(params):
    papermill.execute_notebook("n.ipynb", f"out{{number}}.ipynb", parameters=each,
        progress_bar=False, start_timeout=300)
"""
_BATCH = f"""{_COMMON}
import acp_jupyter
results = acp_jupyter.batch("n.ipynb", params, "demo", policy="accept-edits", workers=1,
    inputs=[], progress=False)
assert not results.failed, results.failed[0].error
"""
_CELLS = (
    "name = ''",
    "%load_ext acp_jupyter",
    "%%acp --format --policy accept-edits\ncreate {name} rate=0",
)


@dataclass(frozen=True, slots=True)
class BatchCost:
    """Medians of all rounds, seconds a job, one job after the other."""

    jobs: int
    papermill_seconds: float
    batch_seconds: float
    papermill_cpu: float
    batch_cpu: float


def measure_batch(folder: Path, rounds: int) -> BatchCost:
    """Run one notebook with a turn by papermill alone and as a batch, in turns."""
    found: dict[str, list[tuple[float, float]]] = {"papermill": [], "batch": []}
    for number in range(rounds):
        place = folder / str(number)
        for name, program in (("papermill", _PAPERMILL), ("batch", _BATCH)):
            found[name].append(_run(place / name, program))
    papermill, batch = (list(zip(*found[name], strict=True)) for name in ("papermill", "batch"))
    return BatchCost(
        jobs=_JOBS,
        papermill_seconds=statistics.median(papermill[0]),
        batch_seconds=statistics.median(batch[0]),
        papermill_cpu=statistics.median(papermill[1]),
        batch_cpu=statistics.median(batch[1]),
    )


def _run(folder: Path, program: str) -> tuple[float, float]:
    """Return the seconds and the processor seconds of a job."""
    work = folder / "work"
    work.mkdir(parents=True)
    notebook = new_notebook(*_CELLS)
    notebook["cells"][0]["metadata"]["tags"] = ["parameters"]
    write_notebook(work / "n.ipynb", notebook)
    environment = {**os.environ, **jupyter_environment(folder)}
    before, begun = _cpu(), time.perf_counter()
    words = (sys.executable, "-c", program, str(_JOBS))
    subprocess.run(words, cwd=work, env=environment, check=True, stderr=subprocess.DEVNULL)
    return (time.perf_counter() - begun) / _JOBS, (_cpu() - before) / _JOBS


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
