"""Escaping: pieces of Markdown that stay intact, whatever text an agent puts in them.

Characters that reverse, hide or split text are written out as ``[U+202E]``, by the same rule as in
the page (``odd_characters.ts``): a character that a script needs at its place stays.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator

from acp_jupyter.protocol.formatting import code_block

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_ASCII_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_LINE_END = re.compile("\r\n|[\r\u0085\u2028\u2029]")
_PLAIN_TEXT = re.compile(r"\S(?:[\w .,:;()'\"/?%+=-]++|\n++(?![ \t]))*")
"""Text in which no reader of Markdown finds anything that acts."""


def agent_markdown(text: str) -> str:
    """Return an agent's Markdown so that it can't swallow or imitate the text after it.

    Raw HTML is shown as text, and an image as a link, so that opening a notebook fetches nothing.
    All renderers see each block end at the same place. A text that is too long or too deeply
    nested to be sure of becomes a code block.
    """
    text = printable(text).strip("\n")
    if not text.strip():
        return ""
    try:
        from acp_jupyter.transcript.closed_markdown import closed_markdown
    except ImportError:  # a kernel without a server
        return text if _PLAIN_TEXT.fullmatch(text) else printable_block(text)
    closed = closed_markdown(text)
    return printable_block(text) if closed is None else closed


def printable_block(text: str, language: str = "") -> str:
    """Return printable text as a code block."""
    return code_block(printable(text).rstrip(), language)


def details(summary: str, body: str, *, opened: bool = False) -> str:
    """Return a foldable block; the blank lines let the Markdown inside be rendered."""
    tag = "<details open>" if opened else "<details>"
    return f"{tag}\n<summary>{summary}</summary>\n\n{body.strip()}\n\n</details>"


def quote(text: str) -> str:
    """Return the text as a block quote."""
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def one_line(text: str, chars: int = 200) -> str:
    """Return the text on one line; a long one is cut at a word and gets an ellipsis."""
    line = show_control_characters(" ".join(_ASCII_CONTROLS.sub("", without_ansi(text)).split()))
    if len(line) <= chars:
        return line
    words = line[: chars - 1].rpartition(" ")[0]
    return (words if len(words) > chars * 2 // 3 else line[: chars - 1]) + "…"


def inert(text: str, chars: int = 200) -> str:
    """Return the text on one line, escaped for Markdown."""
    line = html.escape(one_line(text, chars), quote=False)
    return re.sub(r"([\\`*_\[\]~|#$])", r"\\\1", line)


def inert_html(text: str, chars: int = 200) -> str:
    """Return the text on one line, escaped for HTML."""
    return html.escape(one_line(text, chars), quote=False)


def printable(text: str) -> str:
    """Remove terminal escapes and control characters; write out those that reverse or hide text."""
    plain = "".join(map(_without_controls, _parts(without_ansi(text))))
    return "".join(map(show_control_characters, _parts(plain)))


def _without_controls(text: str) -> str:
    plain = _LINE_END.sub("\n", text)
    return _SURROGATE.sub("\ufffd", _ASCII_CONTROLS.sub("", plain))


_PART_CHARS = 16 * 1024


def _parts(text: str) -> Iterator[str]:
    """Yield a text in parts, so that other threads can run; never split a character sequence."""
    begin, end = 0, _PART_CHARS
    while end < len(text):
        pair = text[end - 1 : end + 1]
        if pair.isascii() and pair != "\r\n":
            cut = end
        else:
            # Earlier ones need no look: the text would have been cut there.
            least = max(begin, end - _PART_CHARS)
            cut = max(text.rfind(" ", least, end), text.rfind("\n", least, end)) + 1
        if cut:
            yield text[begin:cut]
            begin = cut
        end = (begin if cut else end) + _PART_CHARS
    yield text[begin:]


def without_ansi(text: str) -> str:
    """Return the text without terminal escapes."""
    if "\x1b" not in text:
        return text
    if len(text) <= _PART_CHARS:
        return _ANSI.sub("", text)
    # One by one, so that other threads can run.
    kept, end = [], 0
    for match in _ANSI.finditer(text):
        kept.append(text[end : match.start()])
        end = match.end()
    return "".join((*kept, text[end:]))


_CONTROL_CHARACTERS = re.compile(
    "[\u200b-\u200d\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e01ef]"
)
_SPACELESS = frozenset({"THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN"})
_UNJOINED = frozenset({"LATIN", "GREEK", "CYRILLIC", "CJK", "HIRAGANA", "KATAKANA", "HANGUL"})
_JOINED = ("L", "M", "So", "Sk")
"""Categories of letters, marks and pictures; a picture may be followed by its selector."""
_FLAGS = re.compile("\U0001f3f4[\U000e0020-\U000e007f]+")


def show_control_characters(text: str) -> str:
    """Return a text with characters that reverse or hide text in the form ``[U+202E]``."""
    if _CONTROL_CHARACTERS.search(text) is None:
        return text
    flags = [match.span() for match in _FLAGS.finditer(text)]

    def shown(match: re.Match[str]) -> str:
        at, character = match.start(), match[0]
        in_flag = any(start <= at < end for start, end in flags)
        before, after = text[at - 1 : at] if at else "", text[at + 1 : at + 2]
        if in_flag or not _is_control(character, before, after):
            return character
        return f"[U+{ord(character):04X}]"

    return _CONTROL_CHARACTERS.sub(shown, text)


def _is_control(character: str, before: str, after: str) -> bool:
    if character == "\u200b":
        return _SPACELESS.isdisjoint({_script(before), _script(after)})
    if character in "\u200c\u200d":
        joined = bool(before) and unicodedata.category(before).startswith(_JOINED)
        return not joined or _script(before) in _UNJOINED
    return not ("\U000e0100" <= character <= "\U000e01ef" and _script(before) == "CJK")


def _script(character: str) -> str:
    """Return the first word of a character's name, which tells its script."""
    return unicodedata.name(character, "").partition(" ")[0] if character else ""
