"""Characters that turn, hide or split what is read: shown as what they are.

The rule is that of the page, see ``odd_characters.ts``: what a script needs where it stands stays.
"""

from __future__ import annotations

import re
import unicodedata

__all__ = ["written_out"]

_MAYBE = re.compile(
    "[\u200b-\u200d\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e01ef]"
)
_SPACELESS = frozenset({"THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN"})
_UNJOINED = frozenset({"LATIN", "GREEK", "CYRILLIC", "CJK", "HIRAGANA", "KATAKANA", "HANGUL"})
_JOINED = ("L", "M", "So", "Sk")
"""Categories of letters, marks and pictures; a picture may be followed by its selector."""
_FLAGS = re.compile("\U0001f3f4[\U000e0020-\U000e007f]+")


def written_out(text: str) -> str:
    """Return a text with such characters in the form ``[U+202E]``."""
    if _MAYBE.search(text) is None:
        return text
    flags = [match.span() for match in _FLAGS.finditer(text)]

    def shown(match: re.Match[str]) -> str:
        at, character = match.start(), match[0]
        in_flag = any(start <= at < end for start, end in flags)
        before, after = text[at - 1 : at] if at else "", text[at + 1 : at + 2]
        if in_flag or not _is_control(character, before, after):
            return character
        return f"[U+{ord(character):04X}]"

    return _MAYBE.sub(shown, text)


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
