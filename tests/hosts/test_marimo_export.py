"""What ``marimo export`` makes of turns: text, and no word of a turn that runs."""

from __future__ import annotations

import json
import mimetypes
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route, expect

from tests.support.browser.accessibility import picture
from tests.support.environments import apps_environment
from tests.support.host.trusted_folders import trust_in_data_dir
from tests.support.kernel.cells import jupyter_environment

pytestmark = pytest.mark.long
APP = Path(__file__).parent / "apps" / "marimo_export.py"
MADE = "Write made.txt"
REFUSED = "Nobody could be asked"


@pytest.fixture
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return apps_environment(tmp_path_factory.mktemp("wheel"))


def exported(python: Path, tmp_path: Path, kind: str, *more: str) -> Path:
    """Run the app once, as ``marimo export`` does, and return what it has written."""
    folder = tmp_path / "work"
    folder.mkdir()
    shutil.copy(APP, folder / "app.py")
    trust_in_data_dir(tmp_path / "data", tmp_path)
    env = jupyter_environment(tmp_path)
    del env["PYTHONPATH"]
    out = folder / f"out.{kind}"
    command = [python.parent / "marimo", "export", kind, "app.py", "-o", out, *more]
    done = subprocess.run(
        list(map(str, command)),
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert out.exists(), done.stdout + done.stderr
    assert (folder / "made.txt").exists()
    assert not (folder / "asked.txt").exists()
    return out


def test_a_page_without_a_kernel_shows_finished_turns(
    python: Path, tmp_path: Path, browser: Browser
) -> None:
    page = browser.new_page()
    (front_end,) = python.parents[1].glob("lib/*/site-packages/marimo/_static")

    def answer(route: Route) -> None:
        file = front_end / route.request.url.partition("/dist/")[2]
        kind = mimetypes.guess_type(file)[0] or "text/plain"
        route.fulfill(
            path=file, content_type=kind, headers={"Access-Control-Allow-Origin": "*"}
        ) if file.is_file() else route.abort()

    page.route(re.compile("^https:"), answer)
    page.goto(exported(python, tmp_path, "html").as_uri())
    outputs = page.locator(".output-area")
    expect(outputs.nth(0)).to_contain_text(MADE)
    expect(outputs.nth(0)).to_contain_text("1 file changed: made.txt")
    expect(outputs.nth(1).locator(".acp")).to_contain_text(MADE)
    expect(outputs.nth(2).locator(".acp li")).to_have_count(4)
    expect(outputs.nth(3)).to_contain_text(REFUSED)
    expect(page.get_by_text("Turn running")).to_have_count(0)
    picture(page, "marimo export")
    page.close()


def test_a_notebook_has_the_turns_markdown(python: Path, tmp_path: Path) -> None:
    book = json.loads(exported(python, tmp_path, "ipynb", "--include-outputs").read_text())
    outputs = [output for cell in book["cells"] for output in cell.get("outputs", ())]
    assert MADE in "".join(outputs[0]["data"]["text/markdown"])
    assert REFUSED in "".join(outputs[-1]["data"]["text/markdown"])
