"""The process in which a server has a notebook checked, by what it is told and says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from jupyter_client.kernelspec import KernelSpecManager
from pydantic import TypeAdapter

from acp_jupyter.features.checks.__main__ import CheckRequest
from acp_jupyter.features.checks.report import CheckLine
from tests.support.wait import PATIENCE_SECONDS, eventually

LINE: TypeAdapter[Any] = TypeAdapter(CheckLine)


def started(folder: Path, source: str, **spec: Any) -> subprocess.Popen[bytes]:
    """Start a check of a notebook of one cell."""
    known = KernelSpecManager().get_kernel_spec("python3")
    cell: dict[str, Any] = {
        "id": "c1",
        "cell_type": "code",
        "source": source,
        "metadata": {},
        "outputs": [],
    }
    request = CheckRequest(
        notebook={"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]},
        folder=str(folder),
        kernel_name="python3",
        spec={**known.to_dict(), "resource_dir": known.resource_dir, **spec},
        environment={},
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "acp_jupyter.features.checks"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    process.stdin.write(request.model_dump_json().encode() + b"\n")
    process.stdin.flush()
    return process


def test_a_kernel_that_does_not_start_ends_it_in_words(tmp_path: Path) -> None:
    with started(tmp_path, "1", argv=["no-such-program", "{connection_file}"]) as process:
        assert process.stdout is not None
        *_, last = [LINE.validate_json(line) for line in process.stdout]
        assert last.words.startswith("The kernel 'python3' did not start.")
        assert process.wait() == 0


def test_it_ends_quietly_when_nobody_waits_for_it_any_more(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    source = f"import time\nopen({str(begun)!r}, 'w').close()\ntime.sleep(600)"
    with started(tmp_path, source) as process:
        eventually(begun.exists)
        _, said = process.communicate(timeout=PATIENCE_SECONDS)  # closes its input
        assert (process.returncode, said) == (0, b"")
