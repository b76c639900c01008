"""Where it was measured: processors, memory, and the versions of what took part."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import psutil

from tests.support.browser.chromium import executable

__all__ = ["machine"]

_PACKAGES = ("acp-jupyter", "jupyterlab", "jupyter-server", "ipykernel")


def machine() -> dict[str, str]:
    """Return what a reader needs to compare the numbers with others."""
    return {
        "processor": f"{os.cpu_count()} x {_processor()}",
        "memory": f"{psutil.virtual_memory().total / 2**30:.0f} GiB",
        "system": platform.platform(terse=True),
        "python": sys.version.split()[0],
        "browser": _said(executable(), "--version"),
        "commit": _said("git", "describe", "--always", "--dirty"),
        **{name: version(name) for name in _PACKAGES},
    }


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or platform.machine())


def _said(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip()
