"""Pieces of Markdown that stay whole, whatever an agent puts in them."""

from __future__ import annotations

import html
import re

__all__ = [
    "agent_markdown",
    "details",
    "fence",
    "inert",
    "inert_html",
    "one_line",
    "printable",
    "quote",
    "without_ansi",
]

_LINE_CHARS = 20_000
_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]")
_FENCE = re.compile(
    r"^(?P<indent>[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)*)(?P<marks>`{3,}|~{3,})(?P<info>.*)$"
)
_CODE_OR_TAG = re.compile(
    r"(?P<code>(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`))"
    r"|(?P<link><(?:https?://|mailto:)[^\s<>]*>)"
    r"|(?P<tag><(?=[A-Za-z/!?]))"
    r"|(?P<image>!(?=\[))"
)


def agent_markdown(text: str) -> str:
    """Return an agent's Markdown so that nothing after it is swallowed or imitated.

    Raw HTML is shown as text, an image as a link to it (nothing is fetched from elsewhere by
    looking at a notebook), and a code block that was left open is closed.
    """
    lines: list[str] = []
    opened: re.Match[str] | None = None
    for line in _CONTROL.sub("", without_ansi(text)).split("\n"):
        mark = _FENCE.match(line)
        if opened is not None:
            lines.append(line)
            if mark and _closes(opened, mark):
                opened = None
        elif mark and not (mark["marks"][0] == "`" and "`" in mark["info"]):
            lines.append(line)
            opened = mark
        else:
            lines.append(_without_tags(line))
    if opened is not None and ">" not in opened["indent"]:
        # As far in as it was opened: within a list item it has to be closed there.
        lines.append(" " * len(opened["indent"]) + opened["marks"])
    return "\n".join(lines).strip("\n")


def _closes(opened: re.Match[str], mark: re.Match[str]) -> bool:
    same = mark["marks"][0] == opened["marks"][0]
    return same and len(mark["marks"]) >= len(opened["marks"]) and not mark["info"].strip()


def _without_tags(line: str) -> str:
    if len(line) > _LINE_CHARS:  # looking for the end of each code span would take too long
        return line.replace("<", "&lt;")
    return _CODE_OR_TAG.sub(_harmless, line)


def _harmless(found: re.Match[str]) -> str:
    match found.lastgroup:
        case "tag":
            return "&lt;"
        case "image":
            return ""
        case _:
            return found[0]


def fence(text: str, language: str = "") -> str:
    """Return a code block whose fence is longer than any run of backticks inside."""
    text = printable(text)
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    marks = "`" * max(3, longest + 1)
    return f"{marks}{language}\n{text.rstrip()}\n{marks}"


def details(summary: str, body: str, *, opened: bool = False) -> str:
    """Return a foldable block; the blank lines let the Markdown inside be rendered."""
    tag = "<details open>" if opened else "<details>"
    return f"{tag}\n<summary>{summary}</summary>\n\n{body.strip()}\n\n</details>"


def quote(text: str) -> str:
    """Return the text as a block quote."""
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def one_line(text: str, chars: int = 200) -> str:
    """Return the text on one line, cut."""
    line = " ".join(_CONTROL.sub("", without_ansi(text)).split())
    return line if len(line) <= chars else line[: chars - 1] + "…"


def inert(text: str, chars: int = 200) -> str:
    """Return the text on one line, to stand in Markdown as it is."""
    line = html.escape(one_line(text, chars), quote=False)
    return re.sub(r"([\\`*_\[\]~|#])", r"\\\1", line)


def inert_html(text: str, chars: int = 200) -> str:
    """Return the text on one line, to stand in a line of HTML as it is."""
    return html.escape(one_line(text, chars), quote=False)


def printable(text: str) -> str:
    """Return the text without terminal escapes and characters that say nothing, or lie."""
    return _CONTROL.sub("", without_ansi(text.replace("\r\n", "\n").replace("\r", "\n")))


def without_ansi(text: str) -> str:
    """Return the text without terminal escapes."""
    return _ANSI.sub("", text) if "\x1b" in text else text
