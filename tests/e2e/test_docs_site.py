"""The documentation site: each page as its readers open it, wide and light, narrow and dark."""

from __future__ import annotations

import functools
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests.support.browser.chromium import Visitor
from tests.support.browser.pictures import DOCS

HTML = DOCS / "_build/html"

_STICKS_OUT = """() => {
  const width = document.documentElement.clientWidth;
  const scrolls = node => node !== document.body &&
    (['auto', 'scroll'].includes(getComputedStyle(node).overflowX) || scrolls(node.parentElement));
  return [...document.querySelectorAll('.bd-article *')]
    .filter(each => !each.closest('svg') && each.getBoundingClientRect().width > 1)
    .filter(each => each.getBoundingClientRect().right > width + 1 && !scrolls(each))
    .map(each => each.outerHTML.slice(0, 120));
}"""
_NOT_LOADED = """async () => {
  for (const image of document.images) image.loading = 'eager';
  await Promise.all([...document.images].map(image => image.decode().catch(() => null)));
  return [...document.images].filter(image => image.naturalWidth === 0).map(image => image.src);
}"""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_args: object) -> None:
        pass


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    """The address of the site, built from nothing with its code blocks run."""
    build = [sys.executable, str(DOCS.parent / "scripts/docs/build.py")]
    done = subprocess.run(build, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    handler = functools.partial(_Quiet, directory=str(HTML))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def pages() -> list[str]:
    made = (page.relative_to(HTML) for page in HTML.rglob("*.html"))
    return sorted(page.as_posix() for page in made if page.parts[0] != "_static")


@pytest.mark.long
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize(("dark", "width"), [(False, 1400), (True, 400)])
def test_nothing_is_wrong_on_any_page(
    site: str, browser: Browser, tmp_path: Path, dark: bool, width: int
) -> None:
    """Nothing in the console, no file missing or from elsewhere, nothing for axe, all in sight."""
    visitor = Visitor(browser, tmp_path, dark=dark)
    page, log = visitor.page()
    page.set_viewport_size({"width": width, "height": 900})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    found = {name: wrong for name in pages() if (wrong := _faults(page, site + name))}
    assert len(pages()) > 80
    assert found == {}
    assert [said for said in log.console if said.startswith(("error", "warning"))] == []
    assert log.errors == []
    assert [url for url in asked if not url.startswith((site, "data:", "blob:"))] == []
    visitor.close()


def _faults(page: Page, url: str) -> list[str]:
    page.goto(url, wait_until="load")
    options = {
        "rules": {
            # Outputs have tables with a column that has no title.
            "empty-table-header": {"enabled": False},
            # Two variants of a prompt change the same file, so two diffs have one name.
            "landmark-unique": {"enabled": False},
        },
        # It looks for imported style sheets in the wrong folder.
        "preload": False,
    }
    violations = Axe().run(page, options=options).response["violations"]
    return [
        *page.evaluate(_NOT_LOADED),
        *page.evaluate(_STICKS_OUT),
        *(f"{each['id']}: {each['nodes'][0]['html'][:120]}" for each in violations),
    ]
