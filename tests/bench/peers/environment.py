"""Environments of other extensions, made once and kept in the user's cache."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

__all__ = ["PEERS", "peer_environment"]

PEERS = {
    "jupyter-ai": "jupyter-ai==3.2.0",
    "notebook-intelligence": "notebook-intelligence==6.2.0",
}
"""What is installed, by name; the versions whose pages the benchmark knows."""

_LOCK = Path(__file__).resolve().parents[3] / "requirements.lock"
_SETTINGS = {"@jupyterlab/apputils-extension:notification": {"fetchNews": "false"}}
_SECONDS = 900


def peer_environment(name: str) -> Path:
    """Return the python of an environment with JupyterLab and that extension alone.

    It is made by uv from the configured package index; with the JupyterLab of this project.
    """
    wanted = (PEERS[name], *_jupyter())
    key = hashlib.sha256(repr((wanted, sys.version)).encode()).hexdigest()[:8]
    home = _cache() / f"{name}-{key}"
    python = home / "bin" / "python"
    if not (home / "made").exists():
        print(f"Installing {', '.join(wanted)} into {home}", flush=True)
        _uv("venv", "--quiet", "--clear", "--python", sys.executable, str(home))
        _uv("pip", "install", "--quiet", "--python", str(python), *wanted)
        (home / "made").touch()
    # JupyterLab's question about news lies over what is to be clicked.
    settings = home / "share" / "jupyter" / "lab" / "settings"
    settings.mkdir(parents=True, exist_ok=True)
    (settings / "overrides.json").write_text(json.dumps(_SETTINGS))
    return python


def _jupyter() -> tuple[str, ...]:
    """Return the pins of what both sides should have the same."""
    lines = _LOCK.read_text().splitlines()
    return tuple(
        line.split()[0].rstrip("\\")
        for line in lines
        if line.startswith(("jupyterlab==", "ipykernel=="))
    )


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "acp-jupyter" / "peers"


def _uv(*arguments: str) -> None:
    uv = shutil.which("uv") or str(Path(sys.executable).with_name("uv"))
    done = subprocess.run(
        [uv, *arguments], capture_output=True, text=True, timeout=_SECONDS, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(f"uv {' '.join(arguments)} failed:\n{done.stderr[-3000:]}")
