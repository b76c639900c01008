"""The outputs of code as a notebook keeps them, in their order and bounded."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue
from pydantic_core import PydanticSerializationError, to_jsonable_python

_MOST_TEXT_CHARS = 200_000
"""Of all streams together; the rest is dropped."""
_MOST_DATA_CHARS = 4 * 1024 * 1024
"""Of one form of one display, images as base64."""
_MOST_ALL_CHARS = 16 * 1024 * 1024
_MOST_DISPLAYS = 200
_MOST_OUTPUTS = 2_000
"""Those of both streams, in turns, are counted too."""
_MOST_FRAMES = 100
_TAIL_CHARS = 4000
_TOO_LARGE = "[left out: {kind} of {size} characters is too large]"

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")

_Output = dict[str, JsonValue]


class Outputs:
    """Collects outputs; whatever code prints from whichever thread, this stays small."""

    def __init__(self) -> None:
        self.truncated = False
        self._outputs: list[_Output] = []
        self._named: dict[str, _Output] = {}
        self._text_left = _MOST_TEXT_CHARS
        self._all_left = _MOST_ALL_CHARS
        self._clear = False

    def done(self) -> tuple[_Output, ...]:
        """Return what there is."""
        return tuple(self._outputs)

    def tail(self) -> str:
        """Return the end of what was printed; may be called in any thread meanwhile."""
        printed = [str(each["text"]) for each in tuple(self._outputs) if "text" in each]
        tail = ""
        for text in reversed(printed):
            tail = text[-_TAIL_CHARS:] + tail
            if len(tail) >= _TAIL_CHARS:
                break
        return tail[-_TAIL_CHARS:]

    def print(self, name: str, text: str) -> None:
        """Take text of ``stdout`` or ``stderr``."""
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
        elif len(self._outputs) >= _MOST_OUTPUTS:
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
        """Take a display, or another state of an earlier one."""
        if update:
            if (known := self._named.get(display_id)) is not None:
                self._all_left += _size(known["data"])
                known.update(self._stored(data, metadata))
            return
        self._clear_now()
        if sum(each["output_type"] != "stream" for each in self._outputs) >= _MOST_DISPLAYS:
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
        """Take a traceback."""
        self._clear_now()
        traceback: list[JsonValue] = [self._cut(each) for each in frames[-_MOST_FRAMES:]]
        self._outputs.append(
            {
                "output_type": "error",
                "ename": name,
                "evalue": self._cut(value),
                "traceback": traceback,
            }
        )

    def clear(self, *, wait: bool) -> None:
        """Forget what there is, now or with the next output."""
        self._clear = True
        if not wait:
            self._clear_now()

    def _clear_now(self) -> None:
        if self._clear:
            self._clear = False
            self._outputs.clear()
            self._named.clear()
            # What is not shown any more takes no room: code may show its progress for long.
            self._text_left, self._all_left = _MOST_TEXT_CHARS, _MOST_ALL_CHARS

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
        if size > min(_MOST_DATA_CHARS, self._all_left):
            self.truncated = True
            return _TOO_LARGE.format(kind=kind, size=size) if kind.startswith("text/") else ""
        self._all_left -= size
        return found

    def _cut(self, text: str) -> str:
        if len(text) > _MOST_TEXT_CHARS // 10:
            self.truncated = True
        return text[: _MOST_TEXT_CHARS // 10]


class Stream(io.TextIOBase):
    """Takes the place of ``sys.stdout`` or ``sys.stderr``."""

    encoding = "utf-8"

    def __init__(self, name: str, outputs: Outputs) -> None:
        self._name = name
        self._outputs = outputs

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, text: object) -> int:
        """Keep the text."""
        if not isinstance(text, str):
            kind = type(text).__name__
            raise TypeError(f"write() argument must be str, not {kind}")
        self._outputs.print(self._name, text)
        return len(text)


def uncoloured(text: str) -> str:
    """Return text without the colours of a terminal."""
    return _COLOUR.sub("", text)


def _json(value: object, otherwise: JsonValue) -> Any:
    try:
        return to_jsonable_python(value, fallback=str)
    except (PydanticSerializationError, ValueError, RecursionError):
        return otherwise


def _size(data: JsonValue) -> int:
    return sum(map(_length, data.values())) if isinstance(data, dict) else 0


def _length(value: JsonValue) -> int:
    return len(value) if isinstance(value, str) else len(str(value))
