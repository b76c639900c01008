"""Saved turns in books and papers."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))
INDEX = "Index\n=====\n\n.. toctree::\n\n   " + "\n   ".join(NOTEBOOKS) + "\n"
PREPROCESSOR = "acp_jupyter.publishing.TurnPreprocessor"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    for name in NOTEBOOKS:
        text = (ROOT / "notebooks" / f"{name}.ipynb").read_text()
        # Our documentation is not part of the book.
        away = text.replace("](../docs/", "](https://example.org/docs/")
        (folder / f"{name}.ipynb").write_text(away)
    shutil.copy(ROOT / "notebooks" / "dashboard_marimo.py", folder)
    (folder / "index.rst").write_text(INDEX)
    return folder


def run(python: Path, *command: str, folder: Path) -> None:
    pandoc = next(python.parents[1].glob("lib/*/site-packages/pypandoc/files"))
    path = os.pathsep.join([str(python.parent), str(pandoc), os.environ["PATH"]])
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command, cwd=folder, env=env | {"PATH": path}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def sphinx(python: Path, source: Path, extension: str, settings: str, builder: str) -> Path:
    (source / "conf.py").write_text(f"extensions = [{extension!r}]\n{settings}\n")
    target = source.parent / builder
    options = ("-q", "-W", "--keep-going", "-b", builder)
    run(python, "sphinx-build", *options, str(source), str(target), folder=source)
    return target


MYST = "nb_execution_mode = 'off'\nexclude_patterns = ['jupyter_execute']"


def test_myst_nb_builds_without_a_warning(python: Path, source: Path) -> None:
    site = sphinx(python, source, "myst_nb", MYST, "html")
    page = (site / "the_view.html").read_text()
    assert "<summary>" in page
    assert '<td class="text-right"><p>2.0</p></td>' in page
    assert 'class="math notranslate' in page
    assert "vnd.acp-jupyter" not in page


def test_myst_nb_writes_calls_in_bold_for_latex(python: Path, source: Path) -> None:
    book = sphinx(python, source, "myst_nb", MYST, "latex")
    (paper,) = book.glob("*.tex")
    assert re.search(r"\\textbf\{Edit .*clean\.py", paper.read_text())


def test_jupyter_book_builds_without_a_warning(python: Path, source: Path) -> None:
    (source / "index.rst").unlink()
    chapters = "".join(f"- file: {name}\n" for name in NOTEBOOKS[1:])
    (source / "_toc.yml").write_text(
        f"format: jb-book\nroot: {NOTEBOOKS[0]}\nchapters:\n{chapters}"
    )
    (source / "_config.yml").write_text("title: Turns\nexecute: {execute_notebooks: 'off'}\n")
    run(python, "jupyter-book", "build", "-W", "--keep-going", ".", folder=source)
    page = (source / "_build" / "html" / "the_view.html").read_text()
    assert "<summary>" in page
    assert 'class="math notranslate' in page


def test_nbsphinx_builds_without_a_warning_by_a_line(python: Path, source: Path) -> None:
    line = "nbsphinx_custom_formats = {'.ipynb': 'acp_jupyter.publishing.read_notebook'}"
    site = sphinx(python, source, "nbsphinx", f"nbsphinx_execute = 'never'\n{line}", "html")
    page = (site / "changes_and_terminals.html").read_text()
    assert "details>" not in page
    assert re.search(r"<strong>Edit .*clean\.py", page)


def test_nbconvert_writes_calls_in_bold_for_latex(python: Path, source: Path) -> None:
    command = ("jupyter", "nbconvert", f"--Exporter.preprocessors={PREPROCESSOR}", "--to")
    run(python, *command, "latex", "changes_and_terminals.ipynb", folder=source)
    paper = (source / "changes_and_terminals.tex").read_text()
    assert re.search(r"\\textbf\{Edit .*clean\.py", paper)


def test_nbconvert_describes_plots_in_html(python: Path, source: Path) -> None:
    command = ("jupyter", "nbconvert", f"--Exporter.preprocessors={PREPROCESSOR}", "--to")
    run(python, *command, "html", "notebook_tools.ipynb", folder=source)
    page = (source / "notebook_tools.html").read_text()
    assert "No description has been provided" not in page
    assert "<summary>" in page
    assert 'alt="Figure size' in page
