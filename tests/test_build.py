"""The package as it is built and installed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from acp_jupyter._version import __version__

ROOT = Path(__file__).resolve().parent.parent
NPM_PROJECT = ROOT / "labextension"


def _run(*command: str | Path, cwd: Path, env: dict[str, str]) -> str:
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=400,
    )
    assert done.returncode == 0, f"{command} failed:\n{done.stdout[-6000:]}"
    return done.stdout


def _plain(output: str) -> str:
    """Without colours, on one line."""
    return " ".join(re.sub(r"\x1b\[\d*m", "", output).split())


def _environment_without_node(tmp_path: Path, *path: Path) -> dict[str, str]:
    """Nothing on PATH but what is given, and no Jupyter configuration of this machine."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name != "VIRTUAL_ENV" and not name.startswith(("JUPYTER", "PYTHON"))
    }
    return {
        **kept,
        "JUPYTER_CONFIG_DIR": str(tmp_path / "config"),
        "JUPYTER_DATA_DIR": str(tmp_path / "data"),
        "PATH": os.pathsep.join(str(folder) for folder in path),
    }


def _clean_checkout(target: Path) -> Path:
    """Every file that git would commit, and none that a build has left."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    return target


def test_python_and_npm_packages_carry_one_version() -> None:
    package = json.loads((NPM_PROJECT / "package.json").read_text())
    assert package["version"] == __version__


def test_npm_and_server_files_carry_the_python_name() -> None:
    package = json.loads((NPM_PROJECT / "package.json").read_text())
    install = json.loads((NPM_PROJECT / "install.json").read_text())
    assert package["name"] == install["packageName"] == "acp-jupyter"
    config = json.loads((ROOT / "jupyter-config/server-config/acp_jupyter.json").read_text())
    assert config["ServerApp"]["jpserver_extensions"] == {"acp_jupyter": True}


@pytest.mark.parametrize("lock", ["requirements.lock", "labextension/yarn.lock"])
def test_a_lock_file_names_no_host(lock: str) -> None:
    text = (ROOT / lock).read_text()
    assert "://" not in text
    assert "--index-url" not in text


def test_typescript_types_are_generated_from_the_models() -> None:
    if not (NPM_PROJECT / "node_modules").is_dir():
        pytest.skip("the npm packages are not installed: make install")
    done = subprocess.run(
        [sys.executable, ROOT / "scripts/gen_types.py", "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.long
@pytest.mark.timeout(900)
def test_a_wheel_of_a_clean_checkout_works_where_there_is_no_node(tmp_path: Path) -> None:
    uv = shutil.which("uv")
    assert uv, "uv comes with `make install`"
    tools = tmp_path / "tools"
    tools.mkdir()
    build_env = _environment_without_node(tmp_path, tools)
    assert shutil.which("node", path=build_env["PATH"]) is None

    checkout = _clean_checkout(tmp_path / "checkout")
    _run(
        uv,
        "build",
        "--wheel",
        "--python",
        sys.executable,
        "-o",
        tmp_path,
        cwd=checkout,
        env=build_env,
    )
    (wheel,) = tmp_path.glob("acp_jupyter-*.whl")
    shared = f"acp_jupyter-{__version__}.data/data"
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert f"{shared}/share/jupyter/labextensions/acp-jupyter/package.json" in names
    assert f"{shared}/share/jupyter/labextensions/acp-jupyter/install.json" in names
    assert f"{shared}/etc/jupyter/jupyter_server_config.d/acp_jupyter.json" in names
    assert "acp_jupyter/static/widget.js" in names
    assert any("/acp-jupyter/static/remoteEntry." in name for name in names)
    assert not [name for name in names if "node_modules" in name or name.startswith("tests/")]

    venv = tmp_path / "venv"
    env = _environment_without_node(tmp_path, venv / "bin")
    _run(uv, "venv", "--python", sys.executable, venv, cwd=tmp_path, env=env)
    _run(
        uv,
        "pip",
        "install",
        "--python",
        venv / "bin/python",
        f"{wheel}[lab]",
        cwd=tmp_path,
        env=env,
    )
    server_list = _run(venv / "bin/jupyter", "server", "extension", "list", cwd=tmp_path, env=env)
    assert f"acp_jupyter {__version__} OK" in _plain(server_list), server_list
    lab_list = _run(venv / "bin/jupyter", "labextension", "list", cwd=tmp_path, env=env)
    assert f"acp-jupyter v{__version__} enabled OK" in _plain(lab_list), lab_list
