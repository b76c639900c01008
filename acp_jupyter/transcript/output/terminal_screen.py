"""The screen of a terminal after some output, as the page draws it (``terminal_screen.ts``)."""

from __future__ import annotations

import re

_ROWS = 30
_COLUMNS = 4_000
_READ = 256 * 1024
_TOKEN = re.compile(
    r"(?P<text>[^\x00-\x1f\x7f]+)"
    r"|\x1b\[(?P<params>[0-?]*+)[ -?]*+(?P<final>[@-~])"
    r"|\x1b(?:\][^\x07\x1b]*(?:\x07|\x1b\\)|[()*+#%].|[^\[\]()*+#%])"
    r"|(?P<waits>\x1b(?:\[[ -?]*|\][^\x07\x1b]*\x1b?|[()*+#%])?\Z)"
    r"|(?P<control>.)",
    re.DOTALL,
)


class _Screen:
    """A terminal's screen, and the lines that have scrolled off it."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.rows: list[list[str]] = [[]]
        self._row = 0
        self._column = 0

    def put(self, text: str) -> None:
        while self._column + len(text) > _COLUMNS:
            room = max(0, _COLUMNS - self._column)
            self._write(text[:room])
            text = text[room:]
            self._next_line()
        self._write(text)

    def _write(self, text: str) -> None:
        row = self._here()
        row.extend(" " * (self._column - len(row)))
        row[self._column : self._column + len(text)] = text
        self._column += len(text)

    def control(self, character: str) -> None:
        match character:
            case "\n" | "\v" | "\f":
                self._next_line()
            case "\r":
                self._column = 0
            case "\b":
                self._column = max(0, self._column - 1)
            case "\t":
                self._column = min(self._column - self._column % 8 + 8, _COLUMNS)
            case _:
                pass  # a bell, or another character without a glyph

    def obey(self, final: str, params: str) -> None:
        first, second = _numbers(params)
        count = min(max(1, first), _COLUMNS)
        match final:
            case "A" | "F":
                self._row = max(0, self._row - count)
            case "B" | "E":
                self._row = min(len(self.rows) - 1, self._row + count)
            case "C":
                self._column = min(self._column + count, _COLUMNS)
            case "D":
                self._column = max(0, self._column - count)
            case "G":
                self._column = count - 1
            case "H" | "f":
                self._row = min(count, _ROWS) - 1
                self._column = min(max(1, second), _COLUMNS) - 1
            case "J":
                self._erase_screen(first)
            case "K":
                self._erase_line(first)
            case _:
                pass  # colours, and other codes that don't change the text
        if final in "EF":
            self._column = 0

    def _here(self) -> list[str]:
        while len(self.rows) <= self._row:
            self.rows.append([])
        return self.rows[self._row]

    def _next_line(self) -> None:
        self._column = 0
        self._row += 1
        self._here()
        if self._row >= _ROWS:
            self.done.append("".join(self.rows.pop(0)))
            self._row -= 1

    def _erase_screen(self, how: int) -> None:
        if how == 0:
            del self.rows[self._row + 1 :]
            self._erase_line(0)
        elif how == 2 and any(self.rows):
            while not self.rows[-1]:
                self.rows.pop()
            self.done += map("".join, self.rows)
            self.rows = []
            self._here()

    def _erase_line(self, how: int) -> None:
        row = self._here()
        if how == 0:
            del row[self._column :]
        elif how == 1 and self._column + 1 < len(row):
            row[: self._column + 1] = " " * (self._column + 1)
        else:
            row.clear()


def plain_lines(output: str) -> list[str]:
    """Return the lines that a terminal would show after this output, without colours."""
    screen = _Screen()
    for token in _TOKEN.finditer(output):
        match token.lastgroup:
            case "text":
                screen.put(token["text"])
            case "final":
                screen.obey(token["final"], token["params"])
            case "control":
                screen.control(token["control"])
            case _:
                pass
    return [*screen.done, *map("".join, screen.rows)]


def terminal_tail(output: str, chars: int) -> str:
    """Return the last lines that a terminal would show, with a note if there were more."""
    read = output
    if len(output) > _READ:
        start = len(output) - _READ
        read = output[max(start, output.find("\n", start) + 1) :]
    whole = "\n".join(plain_lines(read))
    if len(whole) <= chars and read is output:
        return whole
    tail = whole[-chars:]
    tail = tail[tail.find("\n") + 1 :] or tail
    return f"… what came before is left out …\n{tail}"


def _numbers(params: str) -> tuple[int, int]:
    found = [int(part) if part.isdigit() and len(part) < 10 else 0 for part in params.split(";")]
    first = _COLUMNS if len(params.split(";")[0]) >= 10 else found[0]
    return first, found[1] if len(found) > 1 else 0
