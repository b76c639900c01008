"""A job, its specification for an executor, and the folder of a batch."""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

from pydantic import Field, JsonValue

from acp_jupyter.errors import BadRequest
from acp_jupyter.protocol.host_events.session import Network, Policy, Sandbox, WallsInForce
from acp_jupyter.protocol.objects import Model
from acp_jupyter.transcript.model.use import Use

SUFFIX = ".batch"
RECORDING = "recording.acp"
"""The recording of a job's sessions, in its working folder and in its result."""
SETUP = "setup.json"
"""The kernel's setup, beside the working folder."""
TURNS = "turns.json"
"""The ended turns, beside the working folder."""
MARKER = "batch.json"
_MARK_TEXT = '{"acp_jupyter_batch": 1}\n'
_KEY_CHARS = 20
_UNFINISHED = "unfinished"
_DAY_SECONDS = 24 * 3600.0
LIMIT = "limit"
"""The stable word of what was stopped, or did not run, because a limit was reached."""
OF_JOB = " for this job"


class Job(Model):
    """One run of the notebook. Its key is made from its fields, the notebook and the inputs."""

    params: dict[str, JsonValue] = Field(default_factory=dict)
    agent: str = ""
    """Its id; empty for the notebook's own choice."""
    policy: Policy = "ask"
    sandbox: Sandbox | None = None
    """None for the setting in the agent's entry."""
    network: Network | None = None
    """None for the setting in the agent's entry."""
    seed: int | None = None


class JobSpec(Job):
    """All that a process needs to run a job. An executor passes it on as JSON."""

    key: str
    out: str
    """The batch's folder; where jobs run elsewhere, they must see the same folder."""
    notebook: str
    """Digest of the prepared notebook."""
    inputs: str
    """Digest of the input files."""
    name: str
    """Name of the notebook's file in the working folder."""
    trust: bool = False
    cell_seconds: float | None = None
    replay: bool = False
    notes: tuple[str, ...] = ()
    """Remarks on the job that don't depend on its result."""
    limit: str = ""
    """The most that its turns may use together."""
    scratch: str = ""
    """A folder of this machine to work in, which the caller removes; empty: one is made."""


class TurnRecord(Model):
    """The record of a turn in a job's result."""

    agent: str
    session_id: str
    stop_reason: str
    message: str = ""
    """Why it ended in an error."""
    reason: str = ""
    """The stable word for the error."""
    text: str = ""
    """The agent's answer."""
    patch: str = ""
    """What it changed, as a unified diff."""
    patch_missing: str = ""
    """Why there is no patch."""
    seconds: float | None = None
    tokens: int | None = None
    cost_amount: float | None = None
    """Cost of its session so far."""
    cost_currency: str = ""
    walls: WallsInForce | None = None
    """The sandbox's walls around its agent; None without a sandbox."""


class Setup(Model):
    """How a job's kernel begins."""

    notebook: str
    agent: str = ""
    policy: Policy = "ask"
    sandbox: Sandbox | None = None
    network: Network | None = None
    trust: bool = False
    limit: str = ""
    mode: Literal["record", "replay"] = "record"


class KeptTurns(Model):
    """The content of the file `TURNS`."""

    turns: tuple[TurnRecord, ...] = ()
    use: Use = Use()
    """What they used together."""


class JobOutcome(Model):
    """The result of a job, as ``result.json`` in its folder; without that file it hasn't ended."""

    key: str
    finished: bool
    """Whether the notebook ran to its end; if not, the next call runs the job again."""
    error: str = ""
    reason: str = ""
    """The stable word for the error: that of the turn, else the exception's name."""
    seconds: float = 0.0
    turns: tuple[TurnRecord, ...] = ()
    use: Use = Use()
    """What its turns used together."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BatchFolder:
    """The folder of a batch. All methods block.

    ``notebooks/`` and ``inputs/`` hold what jobs start with, by digest; ``jobs/`` the results by
    key, each renamed into place as a whole; ``replayed/`` the results of replays.
    """

    path: Path

    def open(self) -> None:
        """Make the folder, or check that it is a batch's folder."""
        mark = self.path / MARKER
        if mark.is_file():
            self._sweep()
            return
        if self.path.exists() and (not self.path.is_dir() or any(self.path.iterdir())):
            raise BadRequest(
                f"{self.path} exists and is not the folder of a batch. Name another: out=…"
            )
        self.path.mkdir(parents=True, exist_ok=True)
        mark.write_text(_MARK_TEXT, "utf-8")

    def _sweep(self) -> None:
        """Remove unfinished results that killed processes left more than a day ago."""
        for left in (self.path / _UNFINISHED).glob("*"):
            with suppress(OSError):
                if time.time() - left.stat().st_mtime > _DAY_SECONDS:
                    shutil.rmtree(left, ignore_errors=True)

    def notebook(self, digest: str) -> Path:
        """Return the file of a prepared notebook."""
        return self.path / "notebooks" / f"{digest}.ipynb"

    def inputs(self, digest: str) -> Path:
        """Return the folder of input files."""
        return self.path / "inputs" / digest

    def job(self, key: str, *, replay: bool = False) -> Path:
        """Return the folder of a job's result."""
        return self.path / ("replayed" if replay else "jobs") / key

    def outcome(self, key: str, *, replay: bool = False) -> JobOutcome | None:
        """Return the outcome of a job; None if it has not ended or its file can't be read."""
        try:
            content = (self.job(key, replay=replay) / "result.json").read_bytes()
            return JobOutcome.model_validate_json(content)
        except (OSError, ValueError):
            return None

    @contextmanager
    def being_written(self) -> Iterator[Path]:
        """Yield a new folder to write into; at the end what was not moved away is removed."""
        folder = self.path / _UNFINISHED / uuid4().hex
        folder.mkdir(parents=True)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def digest_of(value: object) -> str:
    """Return a short digest of a JSON-able value."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_KEY_CHARS]


def key_of(job: Job, notebook: str, inputs: str) -> str:
    """Return the key of a job; it depends on the job's content, not on its place in the batch."""
    content = job.model_dump(mode="json")
    for name in ("sandbox", "network"):
        if content[name] is None:
            del content[name]  # keeps the keys of batches from before there were sandboxes
    return digest_of([1, notebook, inputs, content])


def checked_params(params: object) -> tuple[dict[str, Any], ...]:
    """Return the parameters, one mapping for each run."""
    if isinstance(params, Mapping):
        params = (params,)
    if not isinstance(params, Sequence) or isinstance(params, str | bytes):
        raise BadRequest("params must be a list of dictionaries, one for each run.")
    return tuple(_checked(each) for each in params) or ({},)


def _checked(params: object) -> dict[str, Any]:
    names = list(params) if isinstance(params, Mapping) else [None]
    wrong = next((n for n in names if not isinstance(n, str) or not n.isidentifier()), "")
    if not isinstance(params, Mapping) or wrong != "":
        raise BadRequest(f"{params!r:.80} can't be parameters: each needs a name of Python.")
    try:
        return dict(json.loads(json.dumps(dict(params), allow_nan=False)))
    except (TypeError, ValueError) as error:
        raise BadRequest(
            f"The parameters {params!r:.80} can't be written as JSON: {error}."
        ) from None
