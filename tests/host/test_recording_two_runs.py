"""Two runs that write one record: the newer one comes last, however late the older one is."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from acp_jupyter.host.limits import Limits
from tests.support.record_host import host_in, opened, ran, recorded
from tests.support.wait import eventually

SOON = 1.0
"""The newer one would write in a few milliseconds, if it did not wait."""


def test_a_run_that_is_writing_still_never_comes_last(tmp_path: Path) -> None:
    limits = replace(Limits(), late_text_seconds=0.0)
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
            ran(driver, newer, "say the second run")
            with pytest.raises(AssertionError):
                eventually(lambda: holds("the second run"), SOON)
            pipe.write(log.read_bytes())
        eventually(lambda: holds("the second run"))
        assert "the first run" not in file.read_text()
