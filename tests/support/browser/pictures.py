"""Pictures of pages for the documentation, kept where ``ACP_SCREENSHOTS`` asks for them.

One that is not kept is compared, by what it shows, with the one in the repository.
"""

from __future__ import annotations

import io
import os
from pathlib import Path

from PIL import Image
from playwright.sync_api import Locator, Page, expect

from tests.support.browser.lab import LabPage

__all__ = ["DOCS", "MovingPicture", "scenes_of", "take", "take_both"]

DOCS = Path(__file__).resolve().parents[3] / "docs"


def take(name: str, of: Page | Locator) -> None:
    """Take a picture; where it is kept it is ``docs/NAME.png``."""
    if isinstance(of, Locator):
        expect(of).to_be_visible()
    # The buttons of a request that has just appeared are still pale.
    expect(of.locator(".acp-request[data-new]:visible")).to_have_count(0)
    picture = of.screenshot(animations="disabled", caret="hide")
    assert picture.startswith(b"\x89PNG")
    if _is_kept():
        file = DOCS / f"{name}.png"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(_small(picture))


def take_both(name: str, of: Locator, lab: LabPage) -> None:
    """Take one in the light theme, which is the page's, and one in the dark theme."""
    take(name, of)
    lab.use_theme("JupyterLab Dark")
    take(f"{name}-dark", of)
    lab.use_theme("JupyterLab Light")


def scenes_of(file: Path) -> list[str]:
    """Return what a moving picture shows, scene by scene; its comment says it."""
    with Image.open(file) as picture:
        words = picture.info["comment"]
        assert isinstance(words, bytes)
        return words.decode().splitlines()


class MovingPicture:
    """Pictures of a page, one after the other, in one GIF.

    How long one is shown has nothing to do with how long the page took.
    """

    def __init__(self, page: Page) -> None:
        self._page = page
        self._frames: list[Image.Image] = []
        self._milliseconds: list[int] = []
        self._scenes: list[str] = []

    def shoot(self, scene: str, milliseconds: int) -> None:
        """Take the next one."""
        picture = self._page.screenshot(animations="disabled", caret="hide")
        self._frames.append(Image.open(io.BytesIO(picture)).convert("RGB"))
        self._milliseconds.append(milliseconds)
        if scene not in self._scenes:
            self._scenes.append(scene)

    def shoot_changes(self, scene: str, of: Locator, *, until: Locator) -> None:
        """Take one whenever something else is read there, until something is there."""
        read = ""
        while not until.is_visible():
            of.evaluate(_ELSE, read)
            read = of.inner_text()
            self.shoot(scene, 200)

    def keep(self, name: str) -> None:
        """Write ``docs/NAME.gif``, or see that the one there has the same scenes."""
        file = DOCS / f"{name}.gif"
        if not _is_kept():
            assert scenes_of(file) == self._scenes
            return
        # One palette for all: what does not change is not written again.
        every = Image.new("RGB", (self._frames[0].width, sum(f.height for f in self._frames)))
        for number, frame in enumerate(self._frames):
            every.paste(frame, (0, number * frame.height))
        palette = every.quantize(255)
        first, *others = [
            frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in self._frames
        ]
        # It comes to rest, and then shows how the turn has ended.
        first.save(
            file,
            save_all=True,
            append_images=others,
            duration=self._milliseconds,
            loop=2,
            optimize=False,
            comment="\n".join(self._scenes).encode(),
        )


_ELSE = """(element, read) => new Promise(resolve => {
  const observer = new MutationObserver(look);
  function look() {
    if (element.innerText !== read) {
      observer.disconnect();
      resolve();
    }
  }
  observer.observe(element, { subtree: true, childList: true, characterData: true });
  look();
})"""


def _small(picture: bytes) -> bytes:
    """Pages of JupyterLab have few colours: a palette of 256 is a third of the size."""
    with Image.open(io.BytesIO(picture)) as image:
        few = image.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    out = io.BytesIO()
    few.save(out, "PNG", optimize=True)
    return min(picture, out.getvalue(), key=len)


def _is_kept() -> bool:
    return os.environ.get("ACP_SCREENSHOTS") == "1"
