"""What a batch returns: a result for each job, as a sequence, as rows, as a DataFrame."""

from __future__ import annotations

import html
import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from acp_jupyter.errors import MissingPackage
from acp_jupyter.features.batches.jobs import (
    RECORDING,
    BatchFolder,
    JobOutcome,
    JobSpec,
    TurnRecord,
)
from acp_jupyter.host.bounds import LEVELS
from acp_jupyter.protocol.formatting import shorten

if TYPE_CHECKING:
    from pandas import (  # type: ignore[import-untyped,import-not-found,unused-ignore]
        DataFrame,
    )

Status = Literal["done", "failed", "not run"]
_MAX_ROWS = 20
_CELL_CHARS = 60


@dataclass(frozen=True, slots=True)
class JobResult:
    """The result of one job.

    Attributes
    ----------
    key
        Digest of the job's content.
    params
        Its parameters.
    agent
        The agent's id; empty if the notebook chose the agent.
    policy
        How its permission requests were answered.
    seed
        The number of the repetition, the notebook's parameter ``seed``.
    status
        ``done`` if the notebook ran to its end, ``failed``, or ``not run``.
    error
        Why it is not ``done``, in words.
    reason
        The stable word for the error, such as ``login_needed`` or ``nobody_to_ask``.
    turns
        Its turns, in order.
    seconds
        How long it took.
    notes
        Further remarks on it.
    folder
        Its results: ``notebook.ipynb``, ``recording.acp``, ``patch.diff``, and in ``files`` the
        files that it created or changed.
    grade
        What the batch's ``grade`` returned; None without one, or if it failed.
    sandbox
        The batch's sandbox for its agents' processes; empty if the batch set none.
    """

    key: str
    params: Mapping[str, Any]
    agent: str
    policy: str
    seed: int | None
    status: Status
    error: str = ""
    reason: str = ""
    turns: tuple[TurnRecord, ...] = field(default=(), repr=False)
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    folder: Path = Path()
    grade: float | None = None
    sandbox: str = ""

    @property
    def sandbox_level(self) -> str:
        """The lowest level of its turns' sandboxes; empty if no turn had a sandbox."""
        kept = [turn.walls.level for turn in self.turns if turn.walls is not None]
        return min(kept, key=LEVELS.index, default="")

    @property
    def text(self) -> str:
        """The answer of its last turn."""
        return self.turns[-1].text if self.turns else ""

    @property
    def stop_reason(self) -> str:
        """How its last turn ended: a stop reason of ACP, or ``error``; empty without a turn."""
        return self.turns[-1].stop_reason if self.turns else ""

    @property
    def tokens(self) -> int | None:
        """Tokens of its turns; None if no agent reported them."""
        counts = [turn.tokens for turn in self.turns if turn.tokens is not None]
        return sum(counts) if counts else None

    @property
    def cost(self) -> float | None:
        """Cost of its sessions; None if no agent reported it, or in several currencies."""
        last = {turn.session_id: turn for turn in self.turns if turn.cost_amount is not None}
        if not last or len({turn.cost_currency for turn in last.values()}) > 1:
            return None
        return sum(turn.cost_amount or 0.0 for turn in last.values())

    @property
    def patch(self) -> str:
        """What its turns changed, one unified diff after the other."""
        return "".join(turn.patch for turn in self.turns)

    @property
    def notebook(self) -> Path:
        """The executed notebook."""
        return self.folder / "notebook.ipynb"

    @property
    def recording(self) -> Path:
        """The recording of its sessions."""
        return self.folder / RECORDING

    @property
    def files(self) -> Path:
        """The folder of the files that it created or changed; missing if there are none."""
        return self.folder / "files"

    def row(self) -> dict[str, Any]:
        """Return the result as a row of a table."""
        return {
            "key": self.key,
            **{_column(name): value for name, value in self.params.items()},
            "agent": self.agent,
            "policy": self.policy,
            "sandbox": self.sandbox,
            "sandbox_level": self.sandbox_level,
            "seed": self.seed,
            "status": self.status,
            "grade": self.grade,
            "stop_reason": self.stop_reason,
            "turns": len(self.turns),
            "tokens": self.tokens,
            "cost": self.cost,
            "seconds": self.seconds,
            "error": self.error,
            "reason": self.reason,
            "notes": " ".join(self.notes),
            "folder": str(self.folder),
        }


_COLUMNS = tuple(JobResult("", {}, "", "", None, "not run").row())


def _column(name: str) -> str:
    """Return the column of a parameter."""
    return f"param_{name}" if name in _COLUMNS else name


Grade = Callable[[JobResult], float | None]


class BatchResults(tuple[JobResult, ...]):
    """A tuple of results, in the order of the jobs.

    Examples
    --------
    >>> results.failed
    >>> results.to_frame().groupby("agent")["grade"].mean()
    """

    __slots__ = ()

    @property
    def failed(self) -> BatchResults:
        """The results of jobs that did not run to their end."""
        return BatchResults(result for result in self if result.status != "done")

    def rows(self) -> list[dict[str, Any]]:
        """Return a dictionary for each job."""
        return [result.row() for result in self]

    def to_frame(self) -> DataFrame:
        """Return a DataFrame with a row for each job, by its key."""
        try:
            import pandas
        except ImportError:
            raise MissingPackage(
                "This needs pandas. Run %pip install pandas, or use results.rows()."
            ) from None
        frame = pandas.DataFrame(self.rows(), columns=None if self else list(_COLUMNS))
        for name in ("seed", "tokens"):  # integers stay integers even if some values are missing
            frame[name] = frame[name].astype("Int64")
        return frame.set_index("key")

    def __repr__(self) -> str:
        return f"<{len(self)} jobs: {counted(self)}>"

    def _repr_html_(self) -> str:
        names = [name for name in self[0].row() if name not in _NOT_SHOWN] if self else []
        head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
        rows = "".join(
            f"<tr>{''.join(_cell(result.row().get(name)) for name in names)}</tr>"
            for result in self[:_MAX_ROWS]
        )
        more = len(self) - _MAX_ROWS
        after = f"<p>and {more} more</p>" if more > 0 else ""
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        return f"<p>{len(self)} jobs: {counted(self)}</p>{table if self else ''}{after}"


_NOT_SHOWN = frozenset({"key", "turns", "cost", "reason", "notes", "folder"})


def counted(results: tuple[JobResult, ...]) -> str:
    """Return the number of jobs by status, and the mean grade, in words."""
    counts = Counter(result.status for result in results)
    words = [f"{counts[status]} {status}" for status in ("done", "failed", "not run")]
    grades = [result.grade for result in results if result.grade is not None]
    if grades:
        words.append(f"mean grade {sum(grades) / len(grades):.3g}")
    return ", ".join(word for word in words if not word.startswith("0 "))


def result_of(
    spec: JobSpec, outcome: JobOutcome | None, error: str = "", reason: str = ""
) -> JobResult:
    """Return the result of a job; without an outcome it did not run, and ``error`` says why."""
    return JobResult(
        key=spec.key,
        params=spec.params,
        agent=spec.agent,
        policy=spec.policy,
        sandbox=spec.sandbox or "",
        seed=spec.seed,
        status="not run" if outcome is None else "done" if outcome.finished else "failed",
        error=error if outcome is None else outcome.error,
        reason=reason if outcome is None else outcome.reason,
        turns=() if outcome is None else outcome.turns,
        seconds=0.0 if outcome is None else outcome.seconds,
        notes=spec.notes if outcome is None else outcome.notes,
        folder=BatchFolder(Path(spec.out)).job(spec.key, replay=spec.replay),
    )


def graded(result: JobResult, grade: Grade | None) -> JobResult:
    """Return a result with its grade; an unfinished job gets none."""
    if grade is None or result.status != "done":
        return result
    try:
        given = grade(result)
        return replace(result, grade=None if given is None else float(given))
    except Exception as error:  # noqa: BLE001 - the user's own code; the other jobs go on
        words = f"It could not be graded: {type(error).__name__}: {error}"
        return replace(result, notes=(*result.notes, words))


def write_rows(results: BatchResults, batch: BatchFolder, *, replay: bool) -> Path:
    """Write the table as JSON lines into the batch's folder; return the file."""
    target = batch.path / ("replayed.jsonl" if replay else "results.jsonl")
    part = target.with_name(f".{target.name}")
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in results.rows())
    part.write_text("".join(lines), "utf-8")
    part.replace(target)
    return target


def _cell(value: object) -> str:
    words = "" if value is None else f"{value:.3g}" if isinstance(value, float) else str(value)
    return f"<td>{html.escape(shorten(words, _CELL_CHARS))}</td>"
