"""Two runs that write one record: the newer one comes last, however late the older one is."""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from pathlib import Path

from acp_jupyter.features.recordings.recordings import FileRecordings
from tests.features.recordings.records import host_in, opened, ran, recorded
from tests.support.host.limits import PATIENT
from tests.support.wait import PATIENCE_SECONDS, eventually


class _Lock:
    """Tells when somebody waits for another lock."""

    def __init__(self, lock: threading.Lock) -> None:
        self._lock = lock
        self.asked = threading.Event()

    def __enter__(self) -> None:
        self.asked.set()
        self._lock.acquire()

    def __exit__(self, *_exception: object) -> None:
        self._lock.release()


def test_a_run_that_is_writing_still_never_comes_last(tmp_path: Path) -> None:
    limits = replace(PATIENT, late_text_seconds=0.0)
    file = recorded(tmp_path / "one", "own_tools.ndjson")

    def holds(words: str) -> bool:
        return file.exists() and words in file.read_text()

    with host_in(tmp_path / "one", limits=limits) as driver:
        older = opened(driver, "own_tools", run="r1")
        ran(driver, older, "say the first run")
        eventually(lambda: holds("the first run"))
        # Its next writing stops in the middle: it reads its traffic from a pipe.
        (log,) = (tmp_path / "data-one").rglob("traffic.ndjson")
        traffic = log.rename(log.with_name("aside"))
        os.mkfifo(log)
        ran(driver, older, "say the first run again")
        with log.open("wb") as pipe:  # once it is there to read
            traffic.rename(log)
            newer = opened(driver, "own_tools", run="r2")
            recordings = driver.host.recordings()
            assert isinstance(recordings, FileRecordings)
            (recorder,) = driver.run(lambda: [*recordings._writers.values()])
            recorder._writing = lock = _Lock(recorder._writing)
            ran(driver, newer, "say the second run")
            assert lock.asked.wait(PATIENCE_SECONDS)
            assert not holds("the second run")
            pipe.write(log.read_bytes())
        eventually(lambda: holds("the second run"))
        assert "the first run" not in file.read_text()
