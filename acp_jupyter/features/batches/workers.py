"""Local worker processes: each runs one job after the other; a process that dies is replaced.

A worker ends with its parent process, which interrupts its job; a later call starts that again.
"""

from __future__ import annotations

import os
import queue
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from acp_jupyter.features.batches.job_folders import job_folder
from acp_jupyter.features.batches.jobs import JobSpec
from acp_jupyter.features.batches.run_job import run_job
from acp_jupyter.own_programs import module_command

_TRIES = 3
"""How often a job runs if its worker dies."""


class WorkerDied(Exception):
    """The process that ran a job has died, also when the job was tried again."""


class LocalWorkers:
    """Runs jobs in processes of this machine.

    Attributes
    ----------
    executor
        Its threads each own one process; give it `run`.
    """

    def __init__(self, count: int, log: Path) -> None:
        self.executor = ThreadPoolExecutor(count, thread_name_prefix="acp-batch")
        self._log = log.open("wb")
        self._own = threading.local()
        self._lock = threading.Lock()
        self._all: set[subprocess.Popen[bytes]] = set()
        self._closed = False

    def run(self, text: str) -> str:
        """Run a job, as `run_job`."""
        spec = JobSpec.model_validate_json(text)
        for _ in range(_TRIES):
            with job_folder() as scratch:
                answer = self._ask(spec.model_copy(update={"scratch": str(scratch)}))
            if answer is not None:
                return answer
            if self._closed:
                break
        raise WorkerDied(f"The process that ran it died, {_TRIES} times.")

    def close(self) -> None:
        """Kill the processes, which interrupts their jobs."""
        with self._lock:
            self._closed = True
            ending = tuple(self._all)
        for process in ending:
            process.kill()
        self.executor.shutdown(cancel_futures=True)
        for process in ending:
            _end(process)
        self._log.close()

    def _ask(self, spec: JobSpec) -> str | None:
        """Return the answer of this thread's process; None if it has died."""
        process = self._process()
        if process is None:
            return None
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(spec.model_dump_json().encode() + b"\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except OSError:
            line = b""
        if line.endswith(b"\n"):
            return line.decode()
        self._forget(process)
        return None

    def _process(self) -> subprocess.Popen[bytes] | None:
        """Return this thread's process, started if there is none; None after `close`."""
        found: subprocess.Popen[bytes] | None = getattr(self._own, "process", None)
        with self._lock:
            if self._closed:
                return None
            if found is None:
                found = self._own.process = subprocess.Popen(
                    module_command("acp_jupyter.features.batches.workers"),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=self._log,
                )
                self._all.add(found)
        return found

    def _forget(self, process: subprocess.Popen[bytes]) -> None:
        self._own.process = None
        _end(process)
        with self._lock:
            self._all.discard(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.communicate()


def main() -> None:
    """Answer each order, a line of stdin, with a line of stdout, until stdin ends."""
    wire = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # so that nothing that libraries and kernels print is taken for an answer
    specs: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(os.dup(0), specs), daemon=True).start()
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    while True:
        answer = run_job(specs.get().decode())
        wire.write(answer.encode() + b"\n")
        wire.flush()


def _read(stdin: int, specs: queue.SimpleQueue[bytes]) -> None:
    with os.fdopen(stdin, "rb") as lines:
        for line in lines:
            specs.put(line)
    os._exit(0)  # the parent process has ended; a job's kernel notices that and ends, too


if __name__ == "__main__":
    main()
