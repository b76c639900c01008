"""Other environments than the tests' own: for kernels alone, or with more than they need."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

__all__ = [
    "apps_environment",
    "collaboration_environment",
    "gateway_environment",
    "install_kernelspec",
    "kernel_environment",
    "tables_environment",
    "tools_environment",
]

ROOT = Path(__file__).resolve().parents[2]
_PACKAGES = (
    *("anywidget", "identify", "ipykernel", "ipywidgets", "portalocker", "pydantic", "rpds-py"),
)
_COLLABORATION = ("jupyter-collaboration>=5.0.4,<6", "jupyterlab>=4.6,<5", "notebook>=7.6")
_TOOLS = (
    *(
        "black",
        "jupyter-book>=1,<2",
        "jupyter-cache",
        "jupyter-resource-usage",
        "jupyterlab-execute-time",
    ),
    *("jupyterlab-git", "jupyterlab-lsp", "jupyterlab-spellchecker", "jupyterlab-vim", "jupytext"),
    *("matplotlib", "myst-nb", "nbmake", "nbqa", "nbsphinx", "nbstripout", "notebook", "papermill"),
    *("ploomber-engine", "pylint", "pypandoc-binary", "python-lsp-server", "ruff", "testbook"),
)
"""Of ``docs/tools.md``, all in one environment."""
_APPS = (*_PACKAGES, "marimo", "panel", "ipywidgets_bokeh", "shiny", "shinywidgets", "voila")
_ABSENT = ("acp", "jupyter_server", "jupyterlab", "mcp")


def kernel_environment(folder: Path) -> Path:
    """Return the python of the environment, made once per lock file and machine.

    Parameters
    ----------
    folder
        For what is built anew each time: the wheel of the checkout as it is.
    """
    python = _made("kernel", _PACKAGES)
    _install(python, _wheel(folder))
    absent = f"import importlib.util as u; print([m for m in {_ABSENT!r} if u.find_spec(m)])"
    assert _run(str(python), "-P", "-c", absent).strip() == "[]"
    return python


def gateway_environment(folder: Path) -> Path:
    """Return the python of an environment with Kernel Gateway, and this package for its kernels.

    Parameters
    ----------
    folder
        For what is built anew each time.
    """
    python = _made("gateway", (*_PACKAGES, "jupyter_kernel_gateway>=3,<4"))
    _install(python, _wheel(folder))
    return python


def collaboration_environment(folder: Path) -> Path:
    """Return the python of an environment whose JupyterLab shares documents between people."""
    wheel = _wheel(folder)
    python = _made("collaboration", _COLLABORATION, wheel)
    _install(python, wheel)
    return python


def tables_environment() -> Path:
    """Return the python of an environment with pandas and matplotlib, made once.

    This package is not in it: kernels find the checkout by their ``PYTHONPATH``.
    """
    return _made("tables", (*_PACKAGES, "pandas", "matplotlib"))


def tools_environment(folder: Path) -> Path:
    """Return the python of an environment with the tools that people use beside us, made once."""
    wheel = _wheel(folder)
    # jupyter-book 1 wants an older markdown-it-py than the lock file has.
    python = _made("tools", _TOOLS, wheel, locked=False)
    _install(python, wheel)
    return python


def apps_environment(folder: Path) -> Path:
    """Return the python of an environment with what makes web apps of Python, made once."""
    wheel = _wheel(folder)
    python = _made("apps", _APPS, wheel)
    _install(python, wheel)
    return python


def install_kernelspec(data_dir: Path, name: str, python: Path) -> None:
    """Let a server find the environment as a kernel of that name."""
    folder = data_dir / "kernels" / name
    folder.mkdir(parents=True, exist_ok=True)
    spec = {
        "argv": [str(python), "-P", "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": name,
        "language": "python",
    }
    (folder / "kernel.json").write_text(json.dumps(spec))


def _made(name: str, packages: Sequence[str], *more: Path, locked: bool = True) -> Path:
    lock = ROOT / "requirements.lock"
    named = "\n".join((*packages, sys.version))
    key = hashlib.sha256(lock.read_bytes() + named.encode()).hexdigest()[:12]
    home = Path(tempfile.gettempdir()) / f"acp-jupyter-{name}-env-{os.getuid()}-{key}"
    python = home / "bin" / "python"
    if not (home / "made").exists():
        _run("uv", "venv", "--quiet", "--clear", "--python", sys.executable, str(home))
        _run(
            *("uv", "pip", "install", "--python", str(python)),
            *(("--constraint", str(lock)) if locked else ()),
            *(*packages, *map(str, more)),
        )
        (home / "made").touch()
    return python


def _wheel(folder: Path) -> Path:
    wheels = folder / "wheels"
    _run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(wheels), ".")
    (wheel,) = wheels.glob("*.whl")
    return wheel


def _install(python: Path, wheel: Path) -> None:
    _run(
        *("uv", "pip", "install", "--python", str(python)),
        *("--no-deps", "--force-reinstall", str(wheel)),
    )


def _run(*command: str) -> str:
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={
            **{name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
            "PATH": path,
            "HATCH_JUPYTER_BUILDER_SKIP_NPM": "1",
        },
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"{command} failed:\n{done.stdout}{done.stderr}"
    return done.stdout
