"""What a cell costs before its agent has the prompt."""

from __future__ import annotations

import json
import statistics
import time
from dataclasses import dataclass
from pathlib import Path

from tests.support.kernel.cells import Kernel
from tests.support.server.jupyter_server import JupyterServer

__all__ = ["CellStart", "measure_cell_start"]

_LOAD = (
    "import time as _time\n"
    "_begun = _time.perf_counter()\n"
    "get_ipython().run_line_magic('load_ext', 'acp_jupyter')\n"
    "print(_time.perf_counter() - _begun)"
)
_FORBIDDEN = (
    "import sys; print(sorted({'acp', 'mcp', 'jupyter_server', 'pandas', 'numpy'} & "
    "set(sys.modules)))"
)


@dataclass(frozen=True, slots=True)
class CellStart:
    """Medians of all rounds, in milliseconds."""

    load_ms: float
    """``%load_ext acp_jupyter`` in a fresh kernel of a server."""
    overhead_ms: float
    """From a cell's request to the prompt in its agent's hands, the agent warm."""
    imported: tuple[str, ...]
    """What the kernel must not have imported by then, and has."""


def measure_cell_start(folder: Path, rounds: int) -> CellStart:
    """Load the extension in ``rounds`` kernels; run as many cells in the last one."""
    loads: list[float] = []
    with JupyterServer(folder) as server:
        for number in range(rounds):
            side = server.start_kernel(f"{number}.ipynb")
            with Kernel(server.root, connection_file=side.connection_file) as kernel:
                loads.append(float(kernel.run(_LOAD).ok().printed))
                if number + 1 == rounds:
                    overheads = [_overhead(server, kernel) for _ in range(rounds + 1)]
                    imported = json.loads(kernel.run(_FORBIDDEN).ok().printed.replace("'", '"'))
    return CellStart(
        load_ms=1000 * statistics.median(loads),
        overhead_ms=1000 * statistics.median(overheads[1:]),  # the first one starts the agent
        imported=tuple(imported),
    )


def _overhead(server: JupyterServer, kernel: Kernel) -> float:
    """Return the seconds from the request to run a cell to the agent's own clock at the prompt."""
    begun = time.time()
    kernel.run("%%acp demo\nbench N=1 size=1 rate=0", watched=True).ok()
    session_id = kernel.run("print(_acp.session_id)").ok().printed.strip()
    with server.user() as user:
        lines = user.get(f"sessions/{session_id}/traffic").text.splitlines()
    result = next(line for line in reversed(lines) if '"lastWrite"' in line)
    told = json.loads(result)["m"]["result"]["_meta"]["acp_jupyter.demo"]
    return float(told["lastWrite"] - told["seconds"] - begun)
