"""Runs one job, from a clean copy of the inputs to a result that is renamed into place.

Any process that sees the batch's folder can run it. No state remains between two jobs.
"""

from __future__ import annotations

import shutil
import time
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

from acp_jupyter import errors
from acp_jupyter.errors import AcpError, MissingPackage, plain_reason
from acp_jupyter.features.batches.inputs import (
    MAX_BYTES,
    changed_files,
    copy_tree,
    move_into_place,
)
from acp_jupyter.features.batches.job_folders import job_folder
from acp_jupyter.features.batches.jobs import (
    LIMIT,
    RECORDING,
    SETUP,
    TURNS,
    BatchFolder,
    JobOutcome,
    JobSpec,
    KeptTurns,
    Setup,
)
from acp_jupyter.protocol.files import human_size
from acp_jupyter.transcript.escaping import without_ansi

_START_SECONDS = 300
_ERROR_CHARS = 2000


def run_job(text: str) -> str:
    """Run a job, unless another process has finished it, and return its outcome."""
    spec = JobSpec.model_validate_json(text)
    batch = BatchFolder(Path(spec.out))
    known = None if spec.replay else batch.outcome(spec.key)
    if known is not None and known.finished:
        return known.model_dump_json()
    scratch = nullcontext(Path(spec.scratch)) if spec.scratch else job_folder()
    try:
        with scratch as folder:
            outcome = _Run(spec, batch, folder).outcome()
    except OSError as error:
        words = f"Its files could not be read or written: {plain_reason(error, path=True)}."
        outcome = JobOutcome(key=spec.key, finished=False, error=words, reason="files")
    return outcome.model_dump_json()


class _Run:
    """A job that runs in a folder of its own."""

    def __init__(self, spec: JobSpec, batch: BatchFolder, folder: Path) -> None:
        self._order = spec
        self._batch = batch
        self._folder = folder
        self._work = folder / "work"
        self._notes = list(spec.notes)

    def outcome(self) -> JobOutcome:
        """Run the job and write its result."""
        spec, started = self._order, time.monotonic()
        copy_tree(self._batch.inputs(spec.inputs), self._work)
        missing = self._prepare()
        error, reason = missing or self._execute()
        kept = self._turns()
        turns = kept.turns
        failed = next((turn for turn in reversed(turns) if turn.reason), None)
        if failed is not None and failed.reason == LIMIT:
            error = failed.message
        if error and failed is not None:
            reason = failed.reason
        outcome = JobOutcome(
            key=spec.key,
            finished=not error,
            error=error[:_ERROR_CHARS],
            reason=reason,
            seconds=round(time.monotonic() - started, 3),
            turns=turns,
            use=kept.use,
        )
        return self._save(outcome)

    def _prepare(self) -> tuple[str, str] | None:
        """Write the kernel's setup; return an error if a recording to replay is missing."""
        spec = self._order
        setup = Setup(
            notebook=spec.name,
            agent=spec.agent,
            policy=spec.policy,
            sandbox=spec.sandbox,
            network=spec.network,
            trust=spec.trust,
            limit="" if spec.replay else spec.limit,
            mode="replay" if spec.replay else "record",
        )
        (self._folder / SETUP).write_text(setup.model_dump_json(), "utf-8")
        if not spec.replay:
            return None
        recording = self._batch.job(spec.key) / RECORDING
        if not recording.is_dir():
            return "There is no recording of this job: it has not run yet.", "record_missing"
        copy_tree(recording, self._work / RECORDING)
        return None

    def _execute(self) -> tuple[str, str]:
        """Run the notebook; return its error and the error's name, empty if it has none."""
        try:
            import papermill
            from nbclient.exceptions import CellTimeoutError, DeadKernelError
        except ImportError as error:
            raise MissingPackage(MISSING) from error
        spec = self._order
        try:
            papermill.execute_notebook(
                str(self._batch.notebook(spec.notebook)),
                str(self._work / spec.name),
                parameters=_parameters(spec),
                progress_bar=False,
                start_timeout=_START_SECONDS,
                execution_timeout=spec.cell_seconds,
                # Not papermill's `cwd`, which changes the folder of the whole process.
                resources={"metadata": {"path": str(self._work)}},
            )
        except papermill.PapermillExecutionError as error:
            words = without_ansi(f"{error.ename}: {error.evalue}")
            return words, _reason_of(str(error.ename))
        except CellTimeoutError:
            return f"A cell ran for more than {spec.cell_seconds:g} s.", "timeout"
        except DeadKernelError:
            return "The kernel died.", "kernel_died"
        except Exception as error:  # noqa: BLE001 - any error fails this job only
            return f"{type(error).__name__}: {error}", type(error).__name__
        return "", ""

    def _turns(self) -> KeptTurns:
        try:
            return KeptTurns.model_validate_json((self._folder / TURNS).read_bytes())
        except (OSError, ValueError):
            return KeptTurns()

    def _save(self, outcome: JobOutcome) -> JobOutcome:
        """Move the result into place, or return the result of a process that was first."""
        spec = self._order
        with self._batch.being_written() as made:
            notebook = self._work / spec.name
            if notebook.is_file() and not notebook.is_symlink():
                shutil.copyfile(notebook, made / "notebook.ipynb")
                notebook.unlink()
            recording = self._work / RECORDING
            if recording.is_dir() and not recording.is_symlink():
                copy_tree(recording, made / RECORDING)
            self._keep_files(made / "files")
            patch = "".join(turn.patch for turn in outcome.turns)
            (made / "patch.diff").write_text(patch, "utf-8", newline="")
            outcome = outcome.model_copy(update={"notes": tuple(self._notes)})
            (made / "result.json").write_text(outcome.model_dump_json(), "utf-8")
            target = self._batch.job(spec.key, replay=spec.replay)
            earlier = self._batch.outcome(spec.key, replay=spec.replay)
            if target.is_dir() and (earlier is None or not earlier.finished or spec.replay):
                with suppress(FileNotFoundError):  # another process was first
                    target.rename(made.with_name(f"{made.name}-old"))
            taken = move_into_place(made, target)
            shutil.rmtree(made.with_name(f"{made.name}-old"), ignore_errors=True)
        if taken:
            return outcome
        return self._batch.outcome(spec.key, replay=spec.replay) or outcome

    def _keep_files(self, target: Path) -> None:
        paths, whole = changed_files(self._batch.inputs(self._order.inputs), self._work)
        left, size = [], 0
        for path in paths:
            size += (self._work / path).stat().st_size
            if size > MAX_BYTES:
                left.append(path)
                continue
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(self._work / path, target / path, follow_symlinks=False)
        if left or not whole:
            self._notes.append(
                f"Not all files that it made are kept: they are more than {human_size(MAX_BYTES)}."
            )


MISSING = 'Batches need papermill. Run %pip install "acp-jupyter[batch]".'


def _reason_of(name: str) -> str:
    """Return the stable word of one of our exceptions; of another its name."""
    kind = getattr(errors, name, None)
    return kind.reason if isinstance(kind, type) and issubclass(kind, AcpError) else name


def _parameters(spec: JobSpec) -> dict[str, Any]:
    seed = {} if spec.seed is None else {"seed": spec.seed}
    return {**spec.params, **seed}
