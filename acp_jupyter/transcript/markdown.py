"""Pieces of Markdown that stay whole, whatever an agent puts in them."""

from __future__ import annotations

import html
import re

from acp_jupyter.transcript.controls import written_out

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

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_LINE_END = re.compile("\r\n|[\r\u0085\u2028\u2029]")
_PLAIN = re.compile(r"\S(?:[\w .,:;()'\"/?%+=-]++|\n++(?![ \t]))*")
"""Text in which no reader of Markdown finds anything that acts."""


def agent_markdown(text: str) -> str:
    """Return an agent's Markdown so that nothing after it is swallowed or imitated.

    Raw HTML is shown as text, an image as a link to it (nothing is fetched from elsewhere by
    looking at a notebook), and each block ends where it ends, whoever reads it. What is too long or
    too deeply nested to be sure of is shown as it is, as a block of code.
    """
    text = printable(text).strip("\n")
    if not text.strip():
        return ""
    try:
        from acp_jupyter.transcript.closed_markdown import closed_markdown
    except ImportError:  # a kernel without a server
        return text if _PLAIN.fullmatch(text) else fence(text)
    closed = closed_markdown(text)
    return fence(text) if closed is None else closed


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
    line = written_out(" ".join(_CONTROL.sub("", without_ansi(text)).split()))
    return line if len(line) <= chars else line[: chars - 1] + "…"


def inert(text: str, chars: int = 200) -> str:
    """Return the text on one line, to stand in Markdown as it is."""
    line = html.escape(one_line(text, chars), quote=False)
    return re.sub(r"([\\`*_\[\]~|#$])", r"\\\1", line)


def inert_html(text: str, chars: int = 200) -> str:
    """Return the text on one line, to stand in a line of HTML as it is."""
    return html.escape(one_line(text, chars), quote=False)


def printable(text: str) -> str:
    """Return the text without what says nothing; what turns or hides text is written out."""
    plain = _LINE_END.sub("\n", without_ansi(text))
    return written_out(_SURROGATE.sub("\ufffd", _CONTROL.sub("", plain)))


def without_ansi(text: str) -> str:
    """Return the text without terminal escapes."""
    return _ANSI.sub("", text) if "\x1b" in text else text
