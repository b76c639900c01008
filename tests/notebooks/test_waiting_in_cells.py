"""Cells that await a turn, or wait in a thread, in a kernel without a server."""

from __future__ import annotations

from pathlib import Path

from tests.support.kernel.cells import Cell, Kernel

PERMISSION = "import acp_jupyter; s = acp_jupyter.connect('permission')"


class Interrupt:
    """Interrupts the kernel as soon as the cell has printed or asked something."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._done = False

    def __call__(self, cell: Cell) -> None:
        if (cell.questions or cell.printed) and not self._done:
            self._done = True
            self._kernel.manager.interrupt_kernel()


def test_a_cell_that_awaits_asks(kernel: Kernel, folder: Path) -> None:
    kernel.run(PERMISSION).ok()
    cell = kernel.run("await s.prompt('new text')", answers=["x", "1"]).ok()
    assert len(cell.questions) == 2
    assert (folder / "edited.txt").read_text() == "new text\n"


def test_interrupting_a_cell_that_awaits_stops_its_turn(kernel: Kernel, folder: Path) -> None:
    kernel.run(PERMISSION).ok()
    code = "turn = s.prompt('new text'); await turn"
    cell = kernel.run(code, watched=True, on_progress=Interrupt(kernel))
    assert cell.traceback == "CancelledError: The turn was stopped."
    assert kernel.run("print(turn.wait().stop_reason)").printed == "cancelled\n"
    assert not (folder / "edited.txt").exists()


def test_interrupting_a_cell_that_streams_stops_its_turn(kernel: Kernel) -> None:
    kernel.run("import acp_jupyter; s = acp_jupyter.connect('demo')").ok()
    code = "turn = s.prompt('slow rate=5')\nasync for piece in turn.stream(): print(piece)"
    cell = kernel.run(code, watched=True, on_progress=Interrupt(kernel))
    assert cell.error == "CancelledError"
    assert kernel.run("print(turn.wait().stop_reason)").printed == "cancelled\n"


def test_a_thread_of_a_cell_is_refused_at_once(kernel: Kernel, folder: Path) -> None:
    kernel.run(PERMISSION).ok()
    code = (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "turn = s.prompt('new text')\n"
        "with ThreadPoolExecutor() as pool: pool.submit(turn.wait).result()"
    )
    assert kernel.run(code, watched=True).error == "NobodyToAsk"
    assert not (folder / "edited.txt").exists()
