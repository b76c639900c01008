"""`batch`: a notebook or a prompt for many parameters, agents, policies, sandboxes and seeds.

An executor runs the jobs: this is no scheduler. It only leaves out the jobs that have finished,
and limits how many use an agent's login at once.
"""

from __future__ import annotations

import importlib.util
import os
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    wait,
)
from dataclasses import replace
from pathlib import Path
from typing import Any

from acp_jupyter.errors import BadRequest, MissingPackage, NotAllowed
from acp_jupyter.features.batches.jobs import (
    LIMIT,
    BatchFolder,
    JobOutcome,
    JobSpec,
)
from acp_jupyter.features.batches.plan import BatchPlan, jobs_of
from acp_jupyter.features.batches.progress import Progress, progress_of
from acp_jupyter.features.batches.results import (
    BatchResults,
    Grade,
    JobResult,
    graded,
    result_of,
    write_rows,
)
from acp_jupyter.features.batches.run_job import MISSING, run_job
from acp_jupyter.features.batches.workers import LocalWorkers
from acp_jupyter.host.sessions.bound import Bound, limit_of
from acp_jupyter.kernel.execution_context import tool_code_runs
from acp_jupyter.protocol.host_events.session import Network, Policy, Sandbox
from acp_jupyter.protocol.turn_limit import NO_LIMIT, TurnLimit
from acp_jupyter.transcript.model.use import Use

_WAIT_SECONDS = 0.5
_CELL_SECONDS = 3600.0
_LEAST = 0.001
"""What is left of a limit, at least, as long as it is not reached."""
_SKIPPED = frozenset({"folder_not_trusted", "login_needed", "login_expired", "unknown_agent"})
"""Errors that the other jobs of the agent would end in, too."""


def batch(
    notebook_or_prompt: str | Path,
    params: Mapping[str, Any] | Sequence[Mapping[str, Any]] = (),
    agents: str | Sequence[str] = (),
    *,
    policy: Policy | Sequence[Policy] = "ask",
    sandbox: Sandbox | Sequence[Sandbox] | None = None,
    seeds: Iterable[int] = (),
    inputs: Sequence[str] | None = None,
    out: str | Path | None = None,
    executor: Executor | None = None,
    workers: int | None = None,
    at_once: int | Mapping[str, int] | None = None,
    grade: Grade | None = None,
    trust: bool = False,
    cell_seconds: float | None = _CELL_SECONDS,
    replay: bool = False,
    progress: bool = True,
    network: Network | None = None,
    limit: str = "",
    total_limit: str = "",
) -> BatchResults:
    """Run a notebook or a prompt once for each combination of parameters, agents and seeds.

    Each job runs in a folder of its own, with a copy of the inputs. No user can be asked, so a
    request that the policy doesn't allow is refused. The same call doesn't run a finished job
    again; it runs a failed or interrupted one again from the beginning.

    Parameters
    ----------
    notebook_or_prompt
        The notebook's path, or the text of a prompt, in which ``{name}`` is a parameter.
    params
        Parameters of the notebook, for papermill: a dictionary for each run.
    agents
        Ids of agents, for cells whose first line names none; default: as the notebook says.
    policy
        How permission requests are answered in cells that name no policy; or several to compare.
    sandbox
        What the agents' processes can reach in cells that name no sandbox: ``off``, ``folder`` or
        ``read-only``, or several to compare; default: as each agent's entry says.
    seeds
        Numbers of repetitions. The notebook has each as its parameter ``seed``.
    inputs
        Files, folders or patterns in the notebook's folder, copied for each job; ``{name}`` is a
        parameter. Default: all plain files that are not hidden, up to 1,000 files and 100 MB.
        A prompt's folder is the current one.
    out
        The folder for the results; default: ``NAME.batch`` beside the notebook.
    executor
        Runs the jobs, on machines that see ``out``; default: processes of this machine.
    workers
        How many processes; default: one for each two processors.
    at_once
        How many jobs may use an agent's login at once: for each agent, or by its id.
    grade
        Returns a number for a `JobResult`; runs in this process, also for earlier results.
    trust
        Whether agents may run in copies of the inputs without a further check of their content;
        default: whether the notebook's folder is trusted.
    cell_seconds
        Time limit for a cell; a job with a longer one fails.
    replay
        Whether to replay the recordings of an earlier call instead of running agents.
    progress
        Whether to show a table, or a bar at a terminal.
    network
        What the agents reach from their sandbox: ``all``, ``hosts`` that are named, or ``none``;
        default: as each agent's entry says.
    limit
        The most that the turns of a job may use together, such as ``10 min, 30 calls, 1 USD``; then
        the job fails.
    total_limit
        The same for all jobs that this call runs. Each gets what is left when it starts, and the
        rest are not run. At most ``workers`` jobs are then given to an executor at once.

    Raises
    ------
    BadRequest
        The parameters, inputs or folder can't be used.
    FileMissing
        There is no such notebook.
    MissingPackage
        papermill is not installed here.
    NotAllowed
        An agent's tool runs this code.

    Examples
    --------
    >>> results = batch("report.ipynb", [{"year": 2024}, {"year": 2025}], ["claude", "codex"])
    >>> results.to_frame().groupby("agent")["tokens"].sum()
    """
    if tool_code_runs():
        raise NotAllowed("This code is run by an agent's tool, so it can't start a batch.")
    if importlib.util.find_spec("papermill") is None:
        raise MissingPackage(MISSING)
    of_job, of_all = limit_of(limit), limit_of(total_limit)
    jobs = jobs_of(params, agents, policy, sandbox, seeds, network)
    specs = BatchPlan(notebook_or_prompt, inputs, out).specs(
        jobs, trust=trust, cell_seconds=cell_seconds, replay=replay
    )
    folder = BatchFolder(Path(specs[0].out))
    bounds = _Bounds(at_once, of_job, NO_LIMIT if replay else of_all)
    shown = progress_of(specs, wanted=progress)
    results = _Results(specs, folder, grade, replay=replay)
    try:
        count = workers or max(1, (os.cpu_count() or 2) // 2)
        if executor is not None:
            # What is left of a limit is known only when jobs have ended.
            most = count if of_all else len(specs)
            _Run(results, bounds, shown, executor, run_job, most).run()
        elif results.waiting():
            local = LocalWorkers(count, folder.path / "workers.log")
            try:
                _Run(results, bounds, shown, local.executor, local.run, count).run()
            finally:
                local.close()
    finally:
        shown.close(results.so_far())
    found = BatchResults(results.so_far())
    write_rows(found, folder, replay=replay)
    return found


class _Results:
    """The results of a batch so far."""

    def __init__(
        self, specs: Sequence[JobSpec], folder: BatchFolder, grade: Grade | None, *, replay: bool
    ) -> None:
        self._specs = specs
        self._grade = grade
        self._found: dict[str, JobResult] = {}
        for spec in specs:
            known = None if replay else folder.outcome(spec.key)
            if known is not None and known.finished:
                self.put(spec, known)

    def put(
        self, spec: JobSpec, outcome: JobOutcome | None, error: str = "", reason: str = ""
    ) -> JobResult:
        """Grade a job's outcome and add the result."""
        result = graded(result_of(spec, outcome, error, reason), self._grade)
        self._found[spec.key] = result
        return result

    def waiting(self) -> list[JobSpec]:
        """Return the jobs without a result."""
        return [spec for spec in self._specs if spec.key not in self._found]

    def so_far(self) -> tuple[JobResult, ...]:
        """Return the results so far, in the order of the jobs."""
        return tuple(self._found[o.key] for o in self._specs if o.key in self._found)


class _Bounds:
    """How many jobs may use an agent's login at once, and what each and all may use."""

    def __init__(
        self, at_once: int | Mapping[str, int] | None, of_job: TurnLimit, of_all: TurnLimit
    ) -> None:
        numbers = at_once.values() if isinstance(at_once, Mapping) else [at_once or 1]
        if at_once == 0 or any(number < 1 for number in numbers):
            raise BadRequest("at_once must be at least 1.")
        self._at_once = at_once
        self._of_job = of_job
        self._all = Bound(of_all)

    def take(self, use: Use) -> None:
        """Add what a job used."""
        self._all = replace(self._all, before=self._all.before.plus(use))

    def over(self) -> str:
        """Return that all jobs have used what they may, in words; empty if they have not."""
        for limit, used in self._all.reached():
            return (
                f"The batch has reached its limit of {limit}. Used: {used}. Call batch again for "
                "the jobs that are left."
            )
        return ""

    def limit(self) -> str:
        """Return what a job that starts now may use."""
        left: dict[str, Any] = {
            name: max(_LEAST, most - self._all.used(name, Use()))
            for name, most in self._all.limit.amounts().items()
        }
        return str(self._of_job.within(replace(self._all.limit, **left)))

    def allow(self, agent: str, running: int) -> bool:
        """Return whether another job of an agent may start."""
        bound = self._at_once.get(agent) if isinstance(self._at_once, Mapping) else self._at_once
        return bound is None or running < bound


class _Run:
    """Submits the jobs to an executor within the bounds, and collects the results."""

    def __init__(
        self,
        results: _Results,
        bounds: _Bounds,
        progress: Progress,
        executor: Executor,
        function: Callable[[str], str],
        most: int,
    ) -> None:
        self._results = results
        self._bounds = bounds
        self._progress = progress
        self._executor = executor
        self._function = function
        self._most = most
        self._waiting = deque(results.waiting())
        self._running: dict[Future[str], JobSpec] = {}
        self._refused: dict[str, JobResult] = {}
        """A result for each agent that can't run; it also goes to the agent's other jobs."""
        self._broken = ""

    def run(self) -> None:
        """Return when all jobs have ended, or the executor can't run any more."""
        try:
            while self._waiting or self._running:
                self._submit()
                begun = [spec for future, spec in self._running.items() if future.running()]
                self._progress.show(self._results.so_far(), begun)
                done, _ = wait(self._running, _WAIT_SECONDS, FIRST_COMPLETED)
                for future in done:
                    self._take(future, self._running.pop(future))
        except BaseException:
            for future in self._running:
                future.cancel()
            raise

    def _submit(self) -> None:
        counts = Counter(spec.agent for spec in self._running.values())
        later: deque[JobSpec] = deque()
        while self._waiting and len(self._running) < self._most:
            spec = self._waiting.popleft()
            if self._broken:
                self._results.put(spec, None, self._broken, "executor")
            elif (refused := self._refused.get(spec.agent)) is not None:
                self._results.put(spec, None, refused.error, refused.reason)
            elif over := self._bounds.over():
                self._results.put(spec, None, over, LIMIT)
            elif not self._bounds.allow(spec.agent, counts[spec.agent]):
                later.append(spec)
            elif self._start(spec):
                counts[spec.agent] += 1
        self._waiting.extendleft(reversed(later))

    def _start(self, spec: JobSpec) -> bool:
        try:
            limited = spec.model_copy(update={"limit": self._bounds.limit()})
            future = self._executor.submit(self._function, limited.model_dump_json())
        except (BrokenExecutor, RuntimeError) as error:
            self._break(spec, error)
            return False
        self._running[future] = spec
        return True

    def _take(self, future: Future[str], spec: JobSpec) -> None:
        try:
            outcome = JobOutcome.model_validate_json(future.result())
        except BrokenExecutor as error:
            self._break(spec, error)
        except CancelledError:
            self._results.put(spec, None, "The executor cancelled it.", "executor")
        except Exception as error:  # noqa: BLE001 - an executor's own: dask's KilledWorker, …
            words = f"{type(error).__name__}: {error}"
            self._results.put(spec, None, words, "executor")
        else:
            self._bounds.take(outcome.use)
            result = self._results.put(spec, outcome)
            if spec.agent and result.reason in _SKIPPED:
                self._refused[spec.agent] = result

    def _break(self, spec: JobSpec, error: Exception) -> None:
        self._broken = (
            f"The executor has lost its workers ({type(error).__name__}). Make a new one and call "
            "batch again: it goes on with the jobs that have not finished."
        )
        self._results.put(spec, None, self._broken, "executor")
