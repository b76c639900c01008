"""Text files as people have them: any name, encoding, line ends, with a mark or without."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from hypothesis import strategies as st

__all__ = ["AnyFile", "any_file", "any_line", "any_name"]

_MARKS = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
}
_NAME_BYTES = 255

NAMES = (
    *("plain.txt", "two words.txt", " ", "-rf", "--help", "new\nline.txt", "tab\there.txt"),
    *("caf\u00e9.txt", "cafe\u0301.txt", "\ufb01le.txt", "\u65e5\u672c.txt", "\U0001f642.txt"),
    *(
        "~",
        "$HOME.txt",
        "%41.txt",
        "a:b.txt",
        'it\'s "so".txt',
        "back\\slash.txt",
        "#.md",
        "[x].md",
    ),
    *("\u202etxt.exe", "\u200b", "x" * _NAME_BYTES, "\U0001f642" * 63, "e\u0301" * 85),
)
"""Names that programs are known to fail at."""


@dataclass(frozen=True)
class AnyFile:
    """A file as it is on the disk."""

    name: str
    text: str
    """With ``\\n`` at line ends."""
    encoding: str
    marked: bool
    line_end: str

    @property
    def shown(self) -> str:
        """The text as its own line ends have it."""
        return self.text.replace("\n", self.line_end)

    @property
    def data(self) -> bytes:
        mark = _MARKS[self.encoding] if self.marked else b""
        return mark + self.shown.encode(self.encoding)

    def data_with(self, more: str) -> bytes:
        """Return what is on the disk once a client has added to the text."""
        line_end = self.line_end if "\n" in self.text else "\n"
        text = (self.text + more).replace("\n", line_end)
        mark = _MARKS[self.encoding] if self.marked else b""
        try:
            return mark + text.encode(self.encoding)
        except UnicodeEncodeError:  # Latin-1 has no such character
            return mark + text.encode()


def _is_name(name: str) -> bool:
    return 0 < len(name.encode()) <= _NAME_BYTES and name not in {".", ".."}


any_name = st.sampled_from(NAMES) | st.text(
    st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=20
).filter(_is_name)

any_line = st.sampled_from(("more\n", "\u20ac\n"))
"""Added by an agent; Latin-1 has only the first."""
_words = st.text(st.characters(codec="utf-8", exclude_characters="\r\n\0\ufeff"), max_size=12)


@st.composite
def any_file(draw: st.DrawFn) -> AnyFile:
    """Return a strategy for files."""
    encoding = draw(st.sampled_from((*_MARKS, "latin-1")))
    lines = draw(st.lists(_words, max_size=4))
    text = "".join(f"{line}\n" for line in lines) + draw(_words)
    if encoding == "latin-1":
        # With a byte that is not UTF-8: nothing else tells that it is Latin-1.
        text = text.encode("latin-1", "ignore").decode("latin-1") + "\u00e9"
    # Without a mark, UTF-16 and UTF-32 are not text to any editor.
    marked = encoding != "latin-1" and (encoding != "utf-8" or draw(st.booleans()))
    line_end = draw(st.sampled_from(("\n", "\r\n")))
    return AnyFile(draw(any_name), text, encoding, marked, line_end)
