"""Collects the outputs of code, and writes a tool's reply with them: limited, marked as data."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from pydantic import JsonValue
from pydantic_core import PydanticSerializationError, to_jsonable_python

from acp_jupyter.api.models.documents import NbOutput
from acp_jupyter.protocol.formatting import shorten_middle
from acp_jupyter.protocol.objects import items, lines_or_text, obj, text
from acp_jupyter.transcript.escaping import without_ansi

_MAX_TEXT_CHARS = 200_000
"""Longest text of all streams together; the rest is dropped."""
_MAX_DATA_CHARS = 4 * 1024 * 1024
"""Longest data of one MIME type of one display, images as base64."""
_MAX_ALL_CHARS = 16 * 1024 * 1024
_MAX_DISPLAYS = 200
_MAX_OUTPUTS = 2_000
"""Most outputs; alternating output of both streams counts, too."""
_MAX_FRAMES = 100
_TAIL_CHARS = 4000
_TOO_LARGE = "[left out: {kind} of {size} characters is too large]"

_Output = dict[str, JsonValue]


class Outputs:
    """Collects outputs from any thread, limited in size."""

    def __init__(self) -> None:
        self.truncated = False
        self._outputs: list[_Output] = []
        self._named: dict[str, _Output] = {}
        self._text_left = _MAX_TEXT_CHARS
        self._all_left = _MAX_ALL_CHARS
        self._clear = False

    def done(self) -> tuple[_Output, ...]:
        """Return the collected outputs."""
        return tuple(self._outputs)

    def tail(self) -> str:
        """Return the end of the printed text; may be called in any thread."""
        printed = [str(each["text"]) for each in tuple(self._outputs) if "text" in each]
        tail = ""
        for piece in reversed(printed):
            tail = piece[-_TAIL_CHARS:] + tail
            if len(tail) >= _TAIL_CHARS:
                break
        return tail[-_TAIL_CHARS:]

    def print(self, name: str, text: str) -> None:
        """Add text of ``stdout`` or ``stderr``."""
        if not text:
            return
        self._clear_now()
        if len(text) > self._text_left:
            self.truncated = True
            text = text[: self._text_left]
            if not text:
                return
        self._text_left -= len(text)
        last = self._outputs[-1] if self._outputs else {}
        if last.get("output_type") == "stream" and last.get("name") == name:
            last["text"] = f"{last['text']}{text}"
        elif len(self._outputs) >= _MAX_OUTPUTS:
            self.truncated = True
        else:
            self._outputs.append({"output_type": "stream", "name": name, "text": text})

    def display(
        self,
        data: Mapping[str, Any],
        metadata: Mapping[str, Any] | None = None,
        *,
        display_id: str = "",
        update: bool = False,
        execution_count: int | None = None,
    ) -> None:
        """Add a display, or update an earlier one."""
        if update:
            if (known := self._named.get(display_id)) is not None:
                self._all_left += _size(known["data"])
                known.update(self._stored(data, metadata))
            return
        self._clear_now()
        if sum(each["output_type"] != "stream" for each in self._outputs) >= _MAX_DISPLAYS:
            self.truncated = True
            return
        kind = "display_data" if execution_count is None else "execute_result"
        output: _Output = {"output_type": kind, **self._stored(data, metadata)}
        if execution_count is not None:
            output["execution_count"] = execution_count
        self._outputs.append(output)
        if display_id:
            self._named[display_id] = output

    def error(self, name: str, value: str, frames: list[str]) -> None:
        """Add a traceback."""
        self._clear_now()
        traceback: list[JsonValue] = [self._cut(each) for each in frames[-_MAX_FRAMES:]]
        self._outputs.append(
            {
                "output_type": "error",
                "ename": name,
                "evalue": self._cut(value),
                "traceback": traceback,
            }
        )

    def clear(self, *, wait: bool) -> None:
        """Clear the outputs, now or with the next output."""
        self._clear = True
        if not wait:
            self._clear_now()

    def _clear_now(self) -> None:
        if self._clear:
            self._clear = False
            self._outputs.clear()
            self._named.clear()
            # Cleared outputs don't count, as code may show its progress for a long time.
            self._text_left, self._all_left = _MAX_TEXT_CHARS, _MAX_ALL_CHARS

    def _stored(
        self, data: Mapping[str, Any], metadata: Mapping[str, Any] | None
    ) -> dict[str, JsonValue]:
        return {
            "data": {kind: self._bounded(kind, value) for kind, value in data.items()},
            "metadata": _json(metadata or {}, {}),
        }

    def _bounded(self, kind: str, value: object) -> JsonValue:
        found: JsonValue
        if isinstance(value, bytes):
            value = base64.b64encode(value).decode("ascii")
        found = _json(value, "")
        size = _length(found)
        if size > min(_MAX_DATA_CHARS, self._all_left):
            self.truncated = True
            return _TOO_LARGE.format(kind=kind, size=size) if kind.startswith("text/") else ""
        self._all_left -= size
        return found

    def _cut(self, text: str) -> str:
        if len(text) > _MAX_TEXT_CHARS // 10:
            self.truncated = True
        return text[: _MAX_TEXT_CHARS // 10]


class Stream(io.TextIOBase):
    """A replacement of ``sys.stdout`` or ``sys.stderr`` that collects the text."""

    encoding = "utf-8"

    def __init__(self, name: str, outputs: Outputs) -> None:
        self._name = name
        self._outputs = outputs

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, text: object) -> int:
        """Add the text to the outputs."""
        if not isinstance(text, str):
            kind = type(text).__name__
            raise TypeError(f"write() argument must be str, not {kind}")
        self._outputs.print(self._name, text)
        return len(text)


def _json(value: object, otherwise: JsonValue) -> Any:
    try:
        return to_jsonable_python(value, fallback=str)
    except (PydanticSerializationError, ValueError, RecursionError):
        return otherwise


def _size(data: JsonValue) -> int:
    return sum(map(_length, data.values())) if isinstance(data, dict) else 0


def _length(value: JsonValue) -> int:
    return len(value) if isinstance(value, str) else len(str(value))


_REPLY_CHARS = 60_000
_OUTPUT_CHARS = 8_000
_IMAGES = 6
_IMAGE_CHARS = 3 * 1024 * 1024
_IMAGE_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_TEXT_TYPES = ("text/markdown", "text/latex", "text/plain", "application/json")
_CLOSING = re.compile(r"<(/?)(?=notebook-data\b)", re.IGNORECASE)
_BASE64 = re.compile(r"[A-Za-z0-9+/\s]+=*\s*")


@dataclass(frozen=True, slots=True)
class TextPart:
    """A piece of text."""

    text: str


@dataclass(frozen=True, slots=True)
class ImagePart:
    """An image in base64."""

    data: str
    mime_type: str


Part: TypeAlias = TextPart | ImagePart


@dataclass
class Reply:
    """Collects the reply of a tool, limited in size; the reply says what it leaves out."""

    failed: bool = False
    parts: list[Part] = field(default_factory=list)
    _left: int = _REPLY_CHARS
    _images: int = 0
    _full: bool = False

    @property
    def text(self) -> str:
        """All text of the reply."""
        return "\n".join(part.text for part in self.parts if isinstance(part, TextPart))

    @classmethod
    def failure(cls, words: str) -> Reply:
        """Return a reply that says why nothing was done."""
        reply = cls(failed=True)
        reply.add_text(words)
        return reply

    def add_text(self, words: str) -> None:
        """Add text of the tool itself."""
        if self._full:
            return
        if len(words) > self._left:
            words = f"{words[: self._left]}\n[the rest is left out: ask for less at once]"
            self._full = True
        self._left -= len(words)
        last = self.parts[-1] if self.parts else None
        if isinstance(last, TextPart):
            self.parts[-1] = TextPart(f"{last.text}\n{words}")
        else:
            self.parts.append(TextPart(words))

    def data(self, origin: str, words: str) -> None:
        """Add text from the notebook or kernel, marked as data so that it's no instruction."""
        # The text can't contain a mark that begins or ends the data.
        inner = _CLOSING.sub(r"<\1\\", words)
        name = re.sub(r'[\s"<>]+', " ", origin)
        self.add_text(f'<notebook-data origin="{name}">\n{inner}\n</notebook-data>')

    def outputs(self, origin: str, outputs: Sequence[NbOutput]) -> None:
        """Add outputs: text as data, pictures as image content."""
        if not outputs:
            self.add_text("No output.")
        for output in outputs:
            self._output(origin, output)

    def _output(self, origin: str, output: NbOutput) -> None:
        kind = text(output.get("output_type"))
        if kind == "stream":
            name = text(output.get("name")) or "output"
            self.data(f"{name} of {origin}", _shown(lines_or_text(output.get("text"))))
        elif kind == "error":
            frames = (text(line) for line in items(output.get("traceback")))
            words = "\n".join(frames) or f"{output.get('ename')}: {output.get('evalue')}"
            self.data(f"error of {origin}", _shown(words))
        else:
            self._display(origin, obj(output.get("data")))

    def _display(self, origin: str, data: NbOutput) -> None:
        picture = next((kind for kind in _IMAGE_TYPES if data.get(kind)), None)
        if picture is not None and self._picture(origin, picture, lines_or_text(data[picture])):
            return
        for kind in _TEXT_TYPES:
            value = data.get(kind)
            if value is not None:
                words = lines_or_text(value) if kind != "application/json" else str(value)
                self.data(f"{kind} of {origin}", _shown(words))
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
        self.parts.append(ImagePart(encoded, kind))
        return True


def _shown(words: str) -> str:
    """Return an output's text without terminal codes, which would use up its room."""
    return shorten_middle(without_ansi(words), _OUTPUT_CHARS)
