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

_LINE_CHARS = 20_000
_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_FENCE = re.compile(
    r"^(?P<indent>[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)*)(?P<marks>`{3,}|~{3,})(?P<info>.*)$"
)
_CODE_OR_TAG = re.compile(
    r"(?P<code>(?<!`)(?P<ticks>`++).*?(?<!`)(?P=ticks)(?!`))"
    r"|(?P<link><(?:https?://|mailto:)[^\s<>]*>)"
    r"|(?P<tag><(?=[A-Za-z/!?]))"
    r"|(?P<image>(?<!!)!++(?=\[))"
)
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_IMAGE = re.compile(r"(?<!!)!++(?=\[)")
_MARKS = re.compile(r"`{3,}|~{3,}")
_MATH = re.compile(r"\$|\\[(\[]|\\begin")
"""What some readers take for mathematics, across code."""
_READ_IN_WAYS = re.compile(
    r"\$\$|\\\[|\\begin"  # mathematics in blocks
    r"|\[\^"  # footnotes
    r"|^[^|\n]*+\|[^\n]*+\n[^\n]*?(?:`{3}|~{3})"  # a fence in a table, or after it
    r"|`{4}|~{4}"
    r"|(?:`{3}|~{3})(?![ \t]*+(?:[\w+#.{}=-][\w+#.{}= -]*+)?$)",  # text beside a fence's signs
    re.MULTILINE,
)
"""Where readers of Markdown do not agree on what is code."""
_BARE_ADDRESS = re.compile(r"(?<!<)(?:https?|ftp|mailto):|www\.", re.IGNORECASE)
_PARSED_CHARS = 64 * 1024
_AFTER = "what comes after"
_HARMFUL = frozenset({"html_block", "html_inline", "image"})


def agent_markdown(text: str) -> str:
    """Return an agent's Markdown so that nothing after it is swallowed or imitated.

    Raw HTML is shown as text, an image as a link to it (nothing is fetched from elsewhere by
    looking at a notebook), and a code block that was left open is closed. Code is left as it is
    where every reader of Markdown takes it for code; where that is not sure, its signs are
    written out too.
    """
    text = written_out(_CONTROL.sub("", without_ansi(text)))
    drawn = _outside_code(text)
    return drawn if _surely_harmless(drawn) else _everywhere(text)


def _outside_code(text: str) -> str:
    lines: list[str] = []
    opened: re.Match[str] | None = None
    spans = not _MATH.search(text)
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if opened is not None:
            lines.append(line)
            if mark and _closes(opened, mark):
                opened = None
        elif mark and not (mark["marks"][0] == "`" and "`" in mark["info"]):
            lines.append(line)
            opened = mark
        else:
            lines.append(_without_tags(line) if spans else _harmless_line(line))
    if opened is not None and ">" not in opened["indent"]:
        # As far in as it was opened: within a list item it has to be closed there.
        lines.append(" " * len(opened["indent"]) + opened["marks"])
    return "\n".join(lines).strip("\n")


def _everywhere(text: str) -> str:
    """Return it with no HTML and no image, whoever reads it; a fence is shown as its signs."""
    lines = (_MARKS.sub(r"\\\g<0>", _harmless_line(line)) for line in text.split("\n"))
    return "\n".join(lines).strip("\n")


def _harmless_line(line: str) -> str:
    return _TAG.sub("&lt;", _IMAGE.sub("", line))


def _surely_harmless(drawn: str) -> bool:
    """Tell whether no reader finds HTML, an image or an open code block in this.

    Where fences are, a parser has the word: rules of lists and quotes decide what is in them.
    """
    if not (_TAG.search(drawn) or _IMAGE.search(drawn) or _MARKS.search(drawn)):
        return True
    if len(drawn) > _PARSED_CHARS or _READ_IN_WAYS.search(drawn):
        return False
    try:
        from markdown_it import MarkdownIt
    except ImportError:  # a kernel without a server
        return False
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    blocks = parser.parse(f"{drawn}\n\n{_AFTER}")
    kinds = {each.type for block in blocks for each in (block, *(block.children or ()))}
    stands_alone = [block.content for block in blocks[-2:-1] if block.level == 1] == [_AFTER]
    return stands_alone and not kinds & _HARMFUL


def _closes(opened: re.Match[str], mark: re.Match[str]) -> bool:
    same = mark["marks"][0] == opened["marks"][0]
    return same and len(mark["marks"]) >= len(opened["marks"]) and not mark["info"].strip()


def _without_tags(line: str) -> str:
    # Looking for the end of each code span would take too long; and some readers of Markdown take
    # the signs after an address for a part of it.
    if len(line) > _LINE_CHARS or _BARE_ADDRESS.search(line):
        return _harmless_line(line)
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
    line = written_out(" ".join(_CONTROL.sub("", without_ansi(text)).split()))
    return line if len(line) <= chars else line[: chars - 1] + "…"


def inert(text: str, chars: int = 200) -> str:
    """Return the text on one line, to stand in Markdown as it is."""
    line = html.escape(one_line(text, chars), quote=False)
    return re.sub(r"([\\`*_\[\]~|#])", r"\\\1", line)


def inert_html(text: str, chars: int = 200) -> str:
    """Return the text on one line, to stand in a line of HTML as it is."""
    return html.escape(one_line(text, chars), quote=False)


def printable(text: str) -> str:
    """Return the text without what says nothing; what turns or hides text is written out."""
    plain = without_ansi(text.replace("\r\n", "\n").replace("\r", "\n"))
    return written_out(_CONTROL.sub("", plain))


def without_ansi(text: str) -> str:
    """Return the text without terminal escapes."""
    return _ANSI.sub("", text) if "\x1b" in text else text
