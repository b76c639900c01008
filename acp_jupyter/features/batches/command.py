"""``jupyter acp batch FILE``: a batch that a TOML file describes."""

from __future__ import annotations

import argparse
import csv
import importlib
import importlib.util
import json
import math
import sys
import tomllib
from collections.abc import Sequence
from contextlib import AbstractContextManager, chdir, nullcontext, suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from pydantic import ConfigDict, Field, JsonValue, ValidationError

from acp_jupyter.errors import AcpError, BadRequest, MissingPackage, plain_reason
from acp_jupyter.features.batches.batch import batch
from acp_jupyter.features.batches.jobs import SUFFIX
from acp_jupyter.features.batches.results import BatchResults, Grade, counted
from acp_jupyter.host.bounds import NETWORKS, SANDBOXES
from acp_jupyter.protocol.host_events.session import Network, Policy, Sandbox
from acp_jupyter.protocol.objects import Model, misfits
from acp_jupyter.system.printing import echo

_ERROR_CHARS = 200
_MAX_LINES = 20


class BatchFile(Model):
    """The file: the arguments of `batch`, with paths from the file's folder."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_by_name=True)

    notebook: str = ""
    prompt: str = ""
    params: list[dict[str, JsonValue]] | dict[str, JsonValue] | str = Field(default_factory=list)
    """Or the name of a CSV file, whose columns are parameters."""
    agents: tuple[str, ...] = ()
    policy: Policy | tuple[Policy, ...] = "ask"
    sandbox: Sandbox | tuple[Sandbox, ...] | None = None
    network: Network | None = None
    seeds: tuple[int, ...] = ()
    inputs: tuple[str, ...] | None = None
    out: str = ""
    workers: int | None = Field(None, ge=1)
    at_once: int | dict[str, int] | None = None
    grade: str = ""
    """``FILE.py:function`` or ``package.module:function``."""
    trust: bool = False
    cell_seconds: float | None = Field(3600.0, gt=0)
    limit: str = ""
    total_limit: str = ""


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; return 0 if all jobs are done, 1 if not, 2 for a wrong line."""
    options = _parser().parse_args(words)
    try:
        return _run(options)
    except AcpError as error:
        print(error, error.detail, sep="\n" if error.detail else "", file=sys.stderr)  # noqa: T201
        return 2
    except KeyboardInterrupt:
        print("Stopped. The same command goes on.", file=sys.stderr)  # noqa: T201
        return 130


def read_file(path: Path) -> BatchFile:
    """Read a batch's file."""
    try:
        described = BatchFile.model_validate(tomllib.loads(path.read_text("utf-8-sig")))
    except ValidationError as error:
        raise BadRequest(f"{path}: {'; '.join(misfits(error)[:5])}.") from None
    except (OSError, ValueError) as error:
        raise BadRequest(f"{path} can't be read: {plain_reason(error)}") from error
    if bool(described.notebook) == bool(described.prompt):
        raise BadRequest(f"{path}: give it either a notebook or a prompt.")
    return described


def _parser() -> argparse.ArgumentParser:
    command = argparse.ArgumentParser(
        "jupyter acp batch",
        description="Run a notebook or a prompt for many parameters and agents. The same command "
        "again goes on with the jobs that have not finished.",
    )
    command.add_argument("file", metavar="FILE", type=Path, help="a TOML file; see the docs")
    command.add_argument(
        "--replay", action="store_true", help="play the recordings in place of the agents"
    )
    command.add_argument("--out", metavar="FOLDER", help="where the results are")
    command.add_argument("--workers", metavar="N", type=int, help="how many jobs run at once here")
    command.add_argument(
        "--dask", metavar="ADDRESS", help="run the jobs on the workers of this dask scheduler"
    )
    command.add_argument(
        "--trust", action="store_true", help="let agents run in copies of the inputs"
    )
    command.add_argument(
        "--sandbox",
        metavar="SANDBOX",
        choices=SANDBOXES,
        help="what agents can reach, in place of what the file says: %(choices)s",
    )
    command.add_argument(
        "--network",
        metavar="NETWORK",
        choices=NETWORKS,
        help="what agents reach from their sandbox, in place of what the file says: %(choices)s",
    )
    command.add_argument(
        "--allow-all", action="store_true", help="let a policy of the file be allow-all"
    )
    return command


def _require_consent(described: BatchFile, options: argparse.Namespace) -> None:
    """Refuse rights that a file gives itself, as an agent may have written it."""
    policies = described.policy if isinstance(described.policy, tuple) else (described.policy,)
    walls = described.sandbox
    sandboxes = walls if isinstance(walls, tuple) else (walls,)
    for asked, given, flag in (
        (described.trust, options.trust, "--trust"),
        ("allow-all" in policies, options.allow_all, "--allow-all"),
        ("off" in sandboxes, options.sandbox is not None, "--sandbox off"),
        (described.network == "all", options.network is not None, "--network all"),
    ):
        if asked and not given:
            raise BadRequest(
                f"{options.file} asks for {flag.removeprefix('--')}, which only you can grant. "
                f"Read the file, then add {flag} to the command."
            )


def _run(options: argparse.Namespace) -> int:
    described, folder = read_file(options.file), options.file.absolute().parent
    _require_consent(described, options)
    out = Path(options.out).absolute() if options.out else described.out or None
    if described.prompt and out is None:
        out = folder / options.file.with_suffix(SUFFIX).name
    with chdir(folder), _executor(options.dask) as executor:
        results = batch(
            Path(described.notebook) if described.notebook else described.prompt,
            _params(described.params),
            described.agents,
            policy=described.policy,
            sandbox=options.sandbox or described.sandbox,
            network=options.network or described.network,
            seeds=described.seeds,
            inputs=described.inputs,
            out=out,
            executor=executor,
            workers=options.workers or described.workers,
            at_once=described.at_once,
            grade=_grade(described.grade),
            trust=options.trust,
            cell_seconds=described.cell_seconds,
            replay=options.replay,
            limit=described.limit,
            total_limit=described.total_limit,
        )
    for line in _report(results):
        echo(line)
    return 1 if results.failed else 0


def _report(results: BatchResults) -> list[str]:
    failed = results.failed
    lines = [
        f"{result.status}: {result.agent or 'notebook'} {json.dumps(dict(result.params))}: "
        f"{result.error[:_ERROR_CHARS]}"
        for result in failed[:_MAX_LINES]
    ]
    if len(failed) > _MAX_LINES:
        lines.append(f"and {len(failed) - _MAX_LINES} more")
    lines += sorted({note for result in results for note in result.notes})
    table = results[0].folder.parent.parent
    return [*lines, f"{len(results)} jobs: {counted(results)}. Their table is in {table}."]


def _executor(address: str | None) -> AbstractContextManager[Any]:
    if address is None:
        return nullcontext()
    try:
        from distributed import Client  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        raise MissingPackage("--dask needs dask. Run pip install distributed.") from None
    try:
        client: Any = Client(address)
    except (OSError, ValueError) as error:
        raise BadRequest(f"No dask scheduler answers at {address}: {error}") from error
    found: AbstractContextManager[Any] = client.get_executor()
    return found


def _params(params: Any) -> Any:
    """Return parameters unchanged, or the rows of a CSV file with its numbers converted."""
    if not isinstance(params, str):
        return params
    try:
        with Path(params).open(encoding="utf-8-sig", newline="") as file:
            return [{name: _value(text) for name, text in row.items()} for row in _rows(file)]
    except (OSError, ValueError, csv.Error) as error:
        raise BadRequest(f"{params} can't be read: {plain_reason(error)}") from error


def _rows(file: Any) -> list[dict[str, str]]:
    rows = list(csv.DictReader(file, strict=True))
    if any(None in row for row in rows):
        raise ValueError("a row has more cells than the first line has names")
    return [{name: text or "" for name, text in row.items()} for row in rows]


def _value(text: str) -> str | int | float:
    """Convert a number if it is spelled as Python would spell it: 007 stays text."""
    for kind in (int, float):
        with suppress(ValueError):
            number = kind(text)
            if str(number) == text and math.isfinite(number):
                return number
    return text


def _grade(named: str) -> Grade | None:
    """Import the function by its name."""
    if not named:
        return None
    place, _, name = named.rpartition(":")
    try:
        module = (
            _of_file(Path(place).absolute())
            if place.endswith(".py")
            else importlib.import_module(place)
        )
        function: Grade = getattr(module, name)
    except Exception as error:
        raise BadRequest(
            f"There is no grade {named!r} ({type(error).__name__}: {error}). Name a function: "
            "FILE.py:function"
        ) from error
    return function


def _of_file(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("acp_jupyter_grade", path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
