"""Writes what all jobs of a batch share: the notebook and its inputs."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from acp_jupyter.errors import BadRequest
from acp_jupyter.features.batches.inputs import choose_inputs, copy_inputs
from acp_jupyter.features.batches.jobs import (
    SUFFIX,
    BatchFolder,
    Job,
    JobSpec,
    checked_params,
    key_of,
)
from acp_jupyter.features.batches.notebooks import (
    NO_PARAMETERS_CELL,
    PROMPT_NAME,
    has_parameters_cell,
    kernel_name,
    notebook_digest,
    prompt_notebook,
    read_notebook,
    with_setup,
)
from acp_jupyter.protocol.host_events.session import Network, Policy, Sandbox
from acp_jupyter.protocol.objects import misfits


def jobs_of(
    params: Mapping[str, Any] | Sequence[Mapping[str, Any]],
    agents: str | Sequence[str],
    policy: Policy | Sequence[Policy],
    sandbox: Sandbox | Sequence[Sandbox] | None,
    seeds: Iterable[int],
    network: Network | None = None,
) -> list[Job]:
    """Return a job for each combination."""
    numbers: tuple[int | None, ...] = tuple(seeds) or (None,)
    try:
        jobs = [
            Job(
                params=each,
                agent=agent,
                policy=chosen,
                sandbox=walls,
                network=network,
                seed=seed,
            )
            for each in checked_params(params)
            for agent in _several(agents) or ("",)
            for chosen in _several(policy)
            for walls in (_several(sandbox) if sandbox else (None,))
            for seed in numbers
        ]
    except ValidationError as error:
        raise BadRequest(f"{misfits(error)[0]}.") from None
    if not jobs:
        raise BadRequest("There is no policy to run a job with.")
    return jobs


class BatchPlan:
    """What all jobs of a batch share: the notebook, its inputs, the folder."""

    def __init__(
        self, notebook_or_prompt: str | Path, inputs: Sequence[str] | None, out: str | Path | None
    ) -> None:
        self._inputs = inputs
        self._prompt: str | None = None
        path = Path(notebook_or_prompt)
        if isinstance(notebook_or_prompt, str) and not notebook_or_prompt.endswith(".ipynb"):
            self._prompt = notebook_or_prompt
            path = Path(PROMPT_NAME)
        self._path = path.expanduser().absolute()
        self._out = Path(out or self._path.with_suffix(SUFFIX)).expanduser().absolute()

    def specs(
        self, jobs: Sequence[Job], *, trust: bool, cell_seconds: float | None, replay: bool
    ) -> list[JobSpec]:
        """Write the notebook and the inputs; return the jobs' specifications, equal jobs once."""
        path, folder = self._path, self._path.parent
        names = [*jobs[0].params, *(["seed"] if jobs[0].seed is not None else [])]
        notebook = (
            read_notebook(path) if self._prompt is None else prompt_notebook(self._prompt, names)
        )
        notes: tuple[str, ...] = ()
        if names and not has_parameters_cell(notebook):
            notes = (NO_PARAMETERS_CELL,)
            warnings.warn(NO_PARAMETERS_CELL, stacklevel=3)
        digest = notebook_digest(notebook)
        differ = self._inputs is not None and any("{" in each for each in self._inputs)
        chosen = [
            choose_inputs(folder, self._inputs, path.name, job.params)
            for job in (jobs if differ else jobs[:1])
        ] * (1 if differ else len(jobs))
        batch = BatchFolder(self._out)
        batch.open()
        copied = {paths: copy_inputs(folder, paths, batch) for paths in dict.fromkeys(chosen)}
        _write_notebook(batch.notebook(digest), with_setup(notebook))
        trust = trust or _is_trusted(folder)
        specs = {}
        for job, paths in zip(jobs, chosen, strict=True):
            inputs = copied[paths]
            key = key_of(job, digest, inputs)
            specs[key] = JobSpec(
                **dict(job),
                key=key,
                out=str(self._out),
                notebook=digest,
                inputs=inputs,
                name=path.name,
                trust=trust,
                cell_seconds=cell_seconds,
                replay=replay,
                notes=notes,
            )
        return list(specs.values())


def _several(value: str | Sequence[Any]) -> tuple[Any, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _is_trusted(folder: Path) -> bool:
    from jupyter_core.paths import jupyter_data_dir

    from acp_jupyter.host.store.permission_stores import TrustStore

    return TrustStore(Path(jupyter_data_dir()) / "acp-jupyter" / "trust.json").trusts(folder)


def _write_notebook(path: Path, notebook: Any) -> None:
    import nbformat

    if path.exists():
        return
    path.parent.mkdir(exist_ok=True)
    notebook.metadata.setdefault("kernelspec", {"name": kernel_name(notebook), "display_name": ""})
    notebook.metadata.setdefault("language_info", {"name": "python"})
    part = path.with_suffix(f".{os.getpid()}.part")
    nbformat.write(notebook, part)  # type: ignore[no-untyped-call]
    part.replace(path)
