"""What a check says of each cell, beside what nbval says; and that no kernel is left."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import nbformat
import psutil
import pytest

import acp_jupyter
from acp_jupyter.errors import BadRequest
from acp_jupyter.features.checks.check import main
from acp_jupyter.features.checks.compare import compare_outputs
from acp_jupyter.features.checks.report import CheckReport

v4: Any = nbformat.v4
ERROR = v4.new_output("error", ename="ValueError", evalue="no", traceback=["ValueError: no"])


def kernels() -> set[int]:
    children = psutil.Process().children(recursive=True)
    return {each.pid for each in children if "ipykernel_launcher" in " ".join(each.cmdline())}


@pytest.fixture(autouse=True)
def no_kernel_is_left() -> Iterator[None]:
    before = kernels()
    yield
    assert kernels() <= before


def stream(text: str, name: str = "stdout") -> Any:
    return v4.new_output("stream", name=name, text=text)


def result(**data: Any) -> Any:
    return v4.new_output(
        "execute_result", {k.replace("_", "/"): v for k, v in data.items()}, execution_count=7
    )


def shown(**data: Any) -> Any:
    return v4.new_output("display_data", {k.replace("_", "/"): v for k, v in data.items()})


def cell(source: str, *outputs: Any, count: int | None = 1, tags: tuple[str, ...] = ()) -> Any:
    metadata = {"tags": list(tags)} if tags else {}
    return v4.new_code_cell(source, outputs=list(outputs), execution_count=count, metadata=metadata)


def saved(folder: Path, *cells: Any) -> Path:
    notebook = v4.new_notebook(cells=list(cells))
    notebook.metadata["kernelspec"] = {
        "name": "python3",
        "display_name": "Python",
        "language": "python",
    }
    path = folder / "book.ipynb"
    nbformat.write(notebook, path)  # type: ignore[no-untyped-call]
    return path


HTML = "<IPython.core.display.HTML object>"
PICTURE = """
from IPython.display import display, HTML, Image
import base64
png = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
"""
BOTH = "print('a'); print('b', file=sys.stderr); print('c')"
JSON = "display({{'application/json': {{'a': [{}]}}}}, raw=True)".format
CELLS = [
    ("same", cell("x = 1")),
    ("same", cell("x + 1", result(text_plain="2"))),
    ("different", cell("x + 2", result(text_plain="2"))),
    ("same", cell("print('a'); print('b')", stream("a\n"), stream("b\n"))),
    ("different", cell("print('a')", stream("b\n"))),
    ("different", cell("print('a')")),
    ("different", cell("pass", stream("a\n"))),
    ("different", cell("import sys; print('a', file=sys.stderr)", stream("a\n"))),
    ("same", cell(BOTH, stream("a\nc\n"), stream("b\n", "stderr"))),
    ("same", cell("print('10%\\r20%\\r30%')", stream("30%\n"))),
    ("same", cell(PICTURE)),
    ("same", cell("display(HTML('<b>1</b>'))", shown(text_html="<b>1</b>", text_plain=HTML))),
    ("different", cell("display(HTML('<b>2</b>'))", shown(text_html="<b>1</b>", text_plain=HTML))),
    ("different", cell("HTML('<b>1</b>')", result(text_plain=HTML))),
    (
        "same",
        cell("Image(png)", result(image_png="AAAA", text_plain=HTML.replace("HTML", "Image"))),
    ),
    ("different", cell("display(1); display(2)", shown(text_plain="1"))),
    ("different", cell("display(1); display(2)", shown(text_plain="2"), shown(text_plain="1"))),
    ("same", cell("display(1); 2", shown(text_plain="1"), result(text_plain="2"))),
    ("failed", cell("raise ValueError('no')")),
    ("failed", cell("raise ValueError('no')", ERROR)),
    ("same", cell("raise ValueError('no')", ERROR, tags=("raises-exception",))),
    ("different", cell("raise ValueError('yes')", ERROR, tags=("raises-exception",))),
    ("different", cell("print('mended')", ERROR)),
    ("same", cell("# NBVAL_IGNORE_OUTPUT\nprint(1)", stream("2\n"))),
    ("skipped", cell("# NBVAL_SKIP\nraise SystemError", stream("2\n"))),
    ("same", cell("y = x\ny", result(text_plain="1"), tags=("nbval-ignore-output",))),
    ("failed", cell("input()", stream("x"))),
    ("same", cell(JSON(1), shown(application_json={"a": [1]}))),
    ("different", cell(JSON(2), shown(application_json={"a": [1]}))),
]


def verdicts(report: CheckReport) -> list[str]:
    return [each.verdict for each in report.cells]


def nbval_says(path: Path, tmp_path: Path) -> list[str]:
    """Run nbval itself."""
    out = tmp_path / "nbval.xml"
    options = (f"--junitxml={out}", "-q", "-W", "ignore", "-c", os.devnull, f"--rootdir={tmp_path}")
    command = [sys.executable, "-m", "pytest", "--nbval", str(path), *options]
    said = tmp_path / "nbval.txt"  # no pipe, which a kernel would keep open
    with said.open("w") as file:
        off = ("-p", "no:cacheprovider", "-p", "no:xdist")
        subprocess.run([*command, *off], stdin=subprocess.DEVNULL, stdout=file, stderr=file)
    assert out.exists(), said.read_text()
    found = []
    for case in ElementTree.parse(out).iter("testcase"):
        children = {child.tag for child in case}
        words = " ".join(child.text or "" for child in case)
        if "skipped" in children:
            found.append("skipped")
        elif children & {"failure", "error"}:
            found.append("different" if "Cell outputs differ" in words else "failed")
        else:
            found.append("same")
    return found


def test_the_verdicts_are_those_of_nbval(tmp_path: Path) -> None:
    path = saved(tmp_path, v4.new_markdown_cell("# A title"), *(each for _, each in CELLS))
    before = path.read_bytes()
    report = acp_jupyter.check(path)
    assert verdicts(report) == [verdict for verdict, _ in CELLS]
    assert nbval_says(path, tmp_path) == verdicts(report)
    assert path.read_bytes() == before
    assert [each.number for each in report.cells] == list(range(2, len(CELLS) + 2))
    different = report.cells[2]
    assert [(d.kind, d.old, d.new) for d in different.differences] == [("text/plain", "2", "3")]
    picture = next(each for each in report.cells for d in each.differences if d.kind == "image/png")
    assert picture.verdict == "same"
    assert report.cells[18].reason == "ValueError: no"


def test_agents_are_not_asked_again_nor_is_what_follows_from_them_run(tmp_path: Path) -> None:
    path = saved(
        tmp_path,
        cell("%load_ext acp_jupyter"),
        cell("%%acp demo --out turn\nHello"),
        cell("words = turn.text", count=2),
        cell("len(words)", result(text_plain="9")),
        cell("%acp use demo"),
        cell("import acp_jupyter\nsession = acp_jupyter.connect('demo')"),
        cell("session.prompt('Hello')"),
        cell("words = 'a'\nlen(words)", result(text_plain="1")),
        cell("z = 1", count=None),
        cell(""),
    )
    report = acp_jupyter.check(path)
    assert [(each.verdict, each.reason) for each in report.cells] == [
        ("same", ""),
        ("skipped", "it asks an agent"),
        ("skipped", "it uses turn, which cell 2 sets; that was skipped"),
        ("skipped", "it uses words, which cell 3 sets; that was skipped"),
        ("skipped", "it asks an agent"),
        ("skipped", "it asks an agent"),
        ("skipped", "it uses session, which cell 6 sets; that was skipped"),
        ("same", ""),
        ("skipped", "it had not been run, so it was not compared"),
        ("skipped", "empty"),
    ]
    assert report.is_same


def test_a_cell_that_takes_too_long_ends_the_check(tmp_path: Path) -> None:
    endless = "import threading\nthreading.Event().wait()"
    path = saved(tmp_path, cell("1", result(text_plain="1")), cell(endless), cell("2"))
    seconds, report = 1, acp_jupyter.check(path, cell_seconds=1)
    while report.words.startswith("Cell 1 took longer"):  # on a busy machine
        seconds *= 2
        report = acp_jupyter.check(path, cell_seconds=seconds)
    assert verdicts(report) == ["same", "failed", "skipped"]
    assert report.words == f"Cell 2 took longer than {seconds} seconds, so the rest was not run."
    assert not report.is_same


@pytest.mark.long
def test_a_cell_that_writes_without_end_ends_the_check(tmp_path: Path) -> None:
    path = saved(tmp_path, cell("while True:\n    print('x' * 1_000_000)"), cell("2"))
    report = acp_jupyter.check(path)
    assert verdicts(report) == ["failed", "skipped"]
    assert report.words == "Cell 1 wrote more than 100 MB of output, so the rest was not run."


def test_a_kernel_that_dies_ends_the_check(tmp_path: Path) -> None:
    path = saved(tmp_path, cell("import os\nos._exit(1)"), cell("2"))
    report = acp_jupyter.check(path)
    assert verdicts(report) == ["failed", "skipped"]
    assert report.words == "The kernel died in cell 1, so the rest was not run."


def test_what_is_no_notebook_and_a_kernel_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="can't be read"):
        acp_jupyter.check(tmp_path / "absent.ipynb")
    (tmp_path / "text.ipynb").write_text("no JSON")
    with pytest.raises(BadRequest, match="is no notebook"):
        acp_jupyter.check(tmp_path / "text.ipynb")
    with pytest.raises(BadRequest, match="There is no kernel 'absent'"):
        acp_jupyter.check(saved(tmp_path, cell("1")), kernel="absent")


def test_the_command_prints_what_differs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = saved(tmp_path, cell("1", result(text_plain="2")))
    assert main([str(path)]) == 1
    assert "cell 1: different\n    text/plain\n    - 2\n    + 1" in capsys.readouterr().out
    assert main([str(path), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["cells"][0]["verdict"] == "different"
    assert main([str(tmp_path / "absent.ipynb")]) == 2
    path = saved(tmp_path, cell("1", result(text_plain="1")))
    assert main([str(path)]) == 0


def test_texts_of_files_are_lists_of_lines() -> None:
    old = [{"output_type": "display_data", "data": {"text/plain": ["a\n", "b"]}}]
    new = [{"output_type": "display_data", "data": {"text/plain": "a\nb"}}]
    assert compare_outputs(old, new) == ()
    (difference,) = compare_outputs(old, [])
    assert (difference.kind, difference.old, difference.new) == ("text/plain", "a\nb", None)
