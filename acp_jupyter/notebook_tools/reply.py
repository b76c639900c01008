"""What a tool answers: text and images, bounded, and marked as data where others wrote it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from acp_jupyter.api.models.documents import NbOutput
from acp_jupyter.notebook_tools.outputs import uncoloured
from acp_jupyter.protocol.objects import items, obj, text

_REPLY_CHARS = 60_000
_OUTPUT_CHARS = 8_000
_IMAGES = 6
_IMAGE_CHARS = 3 * 1024 * 1024
_IMAGE_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_TEXT_TYPES = ("text/markdown", "text/latex", "text/plain", "application/json")
_CLOSING = re.compile(r"<(/?)(?=notebook-data\b)", re.IGNORECASE)
_BASE64 = re.compile(r"[A-Za-z0-9+/\s]+=*\s*")


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of text."""

    text: str


@dataclass(frozen=True, slots=True)
class Image:
    """A picture, base64."""

    data: str
    mime_type: str


Part: TypeAlias = Text | Image


@dataclass
class Reply:
    """Collects an answer; what is too much is left out, and it says so."""

    failed: bool = False
    parts: list[Part] = field(default_factory=list)
    _left: int = _REPLY_CHARS
    _images: int = 0
    _full: bool = False

    @property
    def text(self) -> str:
        """All that is text."""
        return "\n".join(part.text for part in self.parts if isinstance(part, Text))

    @classmethod
    def failure(cls, words: str) -> Reply:
        """Return an answer that says why nothing was done."""
        reply = cls(failed=True)
        reply.add_text(words)
        return reply

    def add_text(self, words: str) -> None:
        """Add words of our own."""
        if self._full:
            return
        if len(words) > self._left:
            words = f"{words[: self._left]}\n[the rest is left out: ask for less at once]"
            self._full = True
        self._left -= len(words)
        last = self.parts[-1] if self.parts else None
        if isinstance(last, Text):
            self.parts[-1] = Text(f"{last.text}\n{words}")
        else:
            self.parts.append(Text(words))

    def data(self, origin: str, words: str) -> None:
        """Add what others wrote: a source, an output, a value. It is no instruction."""
        # Nothing in it can end the mark, or begin one.
        inner = _CLOSING.sub(r"<\1\\", words)
        name = re.sub(r'[\s"<>]+', " ", origin)
        self.add_text(f'<notebook-data origin="{name}">\n{inner}\n</notebook-data>')

    def outputs(self, origin: str, outputs: Sequence[NbOutput]) -> None:
        """Add outputs: text as data, pictures as pictures."""
        if not outputs:
            self.add_text("No output.")
        for output in outputs:
            self._output(origin, output)

    def _output(self, origin: str, output: NbOutput) -> None:
        kind = text(output.get("output_type"))
        if kind == "stream":
            name = text(output.get("name")) or "output"
            self.data(f"{name} of {origin}", bounded(_joined(output.get("text"))))
        elif kind == "error":
            frames = (text(line) for line in items(output.get("traceback")))
            words = "\n".join(frames) or f"{output.get('ename')}: {output.get('evalue')}"
            self.data(f"error of {origin}", bounded(uncoloured(words)))
        else:
            self._display(origin, obj(output.get("data")))

    def _display(self, origin: str, data: NbOutput) -> None:
        picture = next((kind for kind in _IMAGE_TYPES if data.get(kind)), None)
        if picture is not None and self._picture(origin, picture, _joined(data[picture])):
            return
        for kind in _TEXT_TYPES:
            value = data.get(kind)
            if value is not None:
                words = _joined(value) if kind != "application/json" else str(value)
                self.data(f"{kind} of {origin}", bounded(words))
                return
        kinds = ", ".join(sorted(data))[:200] or "nothing"
        self.add_text(f"An output of {origin} that can't be shown here: {kinds}.")

    def _picture(self, origin: str, kind: str, value: str) -> bool:
        encoded = "".join(value.split())
        if not _BASE64.fullmatch(encoded) or len(encoded) % 4:
            return False
        if self._images >= _IMAGES or len(encoded) > _IMAGE_CHARS:
            self.add_text(f"A picture of {origin} ({kind}) is left out: too large, or too many.")
            return True
        self._images += 1
        self.add_text(f"Picture {self._images}, {kind}, of {origin}:")
        self.parts.append(Image(encoded, kind))
        return True


def bounded(words: str, chars: int = _OUTPUT_CHARS) -> str:
    """Return the beginning and the end of a text that is too long."""
    if len(words) <= chars:
        return words
    head, tail = words[: chars * 3 // 4], words[-chars // 4 :]
    return f"{head}\n[{len(words) - chars} characters left out]\n{tail}"


def _joined(value: object) -> str:
    if isinstance(value, str):
        return value
    lines: Iterable[object] = value if isinstance(value, list) else ()
    return "".join(line for line in lines if isinstance(line, str))
