"""The report of a check, with a verdict for each cell: same, different, failed or skipped."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from acp_jupyter.protocol.objects import Model

Verdict = Literal["same", "different", "failed", "skipped"]


class OutputDifference(Model):
    """One kind of output that is another now: ``stdout``, a MIME type, ``error``."""

    kind: str
    old: str | None = None
    """None where there was none."""
    new: str | None = None
    counts: bool = True
    """False for pictures, which are shown and not compared."""


class CheckedCell(Model):
    """A code cell after its run in the second kernel."""

    type: Literal["cell"] = "cell"
    cell_id: str
    number: int
    """Its place in the notebook, from 1."""
    verdict: Verdict
    reason: str = ""
    """Why it was skipped or has failed."""
    differences: tuple[OutputDifference, ...] = ()


class CheckStarted(Model):
    """The second kernel runs."""

    type: Literal["started"] = "started"
    cells: int
    """How many code cells there are."""


class CheckedCellStarted(Model):
    """A cell runs."""

    type: Literal["running"] = "running"
    number: int


class CheckEnded(Model):
    """Nothing more comes."""

    type: Literal["ended"] = "ended"
    words: str = ""
    """Why not all cells were run."""


CheckLine = TypeAliasType(
    "CheckLine",
    Annotated[
        CheckStarted | CheckedCellStarted | CheckedCell | CheckEnded, Field(discriminator="type")
    ],
)
"""One line of a check that runs."""

WIRE_MODELS = (CheckLine,)


class CheckReport(Model):
    """The result of a check.

    Attributes
    ----------
    path : str
        The notebook.
    cells : tuple of CheckedCell
        Its code cells, each with its ``number``, ``verdict``, ``reason`` and ``differences``.
    words : str
        Why not all cells were run; empty if they were.
    """

    path: str = ""
    cells: tuple[CheckedCell, ...] = ()
    words: str = ""

    @property
    def is_same(self) -> bool:
        """Whether all cells were checked, and none is different or has failed."""
        return not self.words and not self.count("different") and not self.count("failed")

    def count(self, verdict: Verdict) -> int:
        """Return the number of cells with a verdict."""
        return Counter(cell.verdict for cell in self.cells)[verdict]

    def __str__(self) -> str:
        lines = [f"{self.path}: {self._summary()}"]
        for cell in self.cells:
            lines.append(f"  cell {cell.number}: {cell.verdict}")
            if cell.reason:
                lines[-1] += f" ({cell.reason})"
            if cell.verdict == "different":
                lines += [line for each in cell.differences for line in _shown(each)]
        return "\n".join([*lines, *([self.words] if self.words else [])])

    def _repr_pretty_(self, printer: object, cycle: bool) -> None:
        """Return the text to show in IPython."""
        printer.text(str(self))  # type: ignore[attr-defined] # IPython's

    def _summary(self) -> str:
        verdicts: tuple[Verdict, ...] = ("same", "different", "failed", "skipped")
        counts = [f"{self.count(each)} {each}" for each in verdicts if self.count(each)]
        return ", ".join(counts) or "no code cells"


_MAX_LINES = 10
_MAX_CHARS = 200


def _shown(difference: OutputDifference) -> list[str]:
    if not difference.counts:
        return []
    sides = (("-", difference.old), ("+", difference.new))
    return [
        f"    {difference.kind}",
        *(
            f"    {sign} {line[:_MAX_CHARS]}"
            for sign, text in sides
            for line in (text or "").splitlines()[:_MAX_LINES]
        ),
    ]
