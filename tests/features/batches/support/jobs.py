"""What tests of batches share: notebooks for jobs, agents, an executor that counts."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from acp_jupyter.features.batches.jobs import JobOutcome, JobSpec
from tests.support.kernel.notebook_file import new_notebook, write_notebook

__all__ = ["Answering", "configure_agents", "job_notebook", "starts"]

_LOGGED = """\
import pathlib
with open(log, "a") as started:
    started.write(f"{name}\\n")
assert not pathlib.Path("mark").exists(), "not a clean copy"
pathlib.Path("mark").write_text("")
data = pathlib.Path("data.csv")
assert data.read_text() == "a,b\\n1,2\\n", "not a clean copy"
data.write_text("changed")"""


def configure_agents(folder: Path, **agents: dict[str, Any]) -> None:
    """Configure agents for the kernels of jobs that are run in a folder."""
    path = folder.parent / "config" / "acp_agents.json"
    path.write_text(json.dumps({"agent_servers": agents}))


def job_notebook(path: Path, *more: str) -> None:
    """Write a notebook that logs its start in ``log``, and fails where its folder is not clean."""
    content = new_notebook("log = name = ''", _LOGGED, *more)
    content["cells"][0]["metadata"]["tags"] = ["parameters"]
    write_notebook(path, content)
    (path.parent / "data.csv").write_text("a,b\n1,2\n")


def starts(log: Path) -> Counter[str]:
    """Return how often each job has started."""
    return Counter(log.read_text().split()) if log.exists() else Counter()


class Answering(Executor):
    """Answers each order by a function; knows how many jobs of an agent were there at once."""

    def __init__(self, answer: Callable[[JobSpec], JobOutcome], threads: int = 8) -> None:
        self._pool = ThreadPoolExecutor(threads)
        self._answer = answer
        self._lock = threading.Lock()
        self._now: Counter[str] = Counter()
        self.most: Counter[str] = Counter()
        self.specs: list[JobSpec] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        return self._pool.submit(self._run, JobSpec.model_validate_json(args[0]))

    def _run(self, spec: JobSpec) -> str:
        with self._lock:
            self.specs.append(spec)
            self._now[spec.agent] += 1
            self.most[spec.agent] = max(self.most[spec.agent], self._now[spec.agent])
        try:
            return self._answer(spec).model_dump_json()
        finally:
            with self._lock:
                self._now[spec.agent] -= 1

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._pool.shutdown(wait, cancel_futures=cancel_futures)
