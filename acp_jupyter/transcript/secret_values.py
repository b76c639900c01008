"""Whether the value of something named like a secret is one, and not a word or code."""

from __future__ import annotations

import re

__all__ = ["is_bearer", "is_mixed", "is_password", "is_random", "is_url_value"]

_DIGIT = re.compile(r"[0-9]")
_LETTER = re.compile(r"[A-Za-z]")
_STANDS_IN = re.compile(r"[<>{}]|\$\(|\.\.\.|\*\*\*|\[redacted\]|(?i:your[_-]|x{4})")
"""Of a template, or of what was taken out."""
_PATH = re.compile(r"~?\.{0,2}/|[A-Za-z][A-Za-z0-9+.-]{0,20}://|[$%]")
_DOTTED = re.compile(r"[A-Za-z_]\w*+(?>(?:\.[A-Za-z_]\w*+)+)")
_TEXT = re.compile(r"[A-Z]?[a-z]++(?>(?:-[a-z]++)*)[.]?")
_LINED_WORDS = re.compile(r"[a-z]{1,15}+(?>(?:[_-]+[a-z]{1,15}+)*)")
_WORDS = re.compile(r"[A-Za-z]++[0-9]{0,3}(?>(?:[_-](?:[A-Za-z]++[0-9]{0,3}|[0-9]{1,2}))*)")
"""Words with numbers behind them, as names in code have them: ``user_token_2``, ``Uint8``."""
_CAPITALS = re.compile(r"[A-Za-z][a-z]++[0-9]{0,5}(?>(?:[A-Z][a-z]++[0-9]{0,5})*)")
"""``Ed25519PrivateKey``."""


def _stands_in(value: str) -> bool:
    return _STANDS_IN.search(value) is not None or _PATH.match(value) is not None


def is_mixed(value: str) -> bool:
    """Tell whether it is not just words with lines between them."""
    return _LINED_WORDS.fullmatch(value) is None


def is_bearer(value: str) -> bool:
    """Tell whether it is no text that follows the word."""
    return not value.isupper() and _TEXT.fullmatch(value) is None


def is_password(value: str) -> bool:
    """Tell whether it has letters and digits, and is neither a path, a template nor dotted code."""
    mixed = _DIGIT.search(value) is not None and _LETTER.search(value) is not None
    return mixed and not _stands_in(value) and _DOTTED.fullmatch(value) is None


def is_random(value: str) -> bool:
    """Tell whether it is, beyond that, no words of some language with numbers behind them."""
    if _stands_in(value) or _DOTTED.fullmatch(value) is not None:
        return False
    if _DIGIT.search(value) is None:
        return False
    return _WORDS.fullmatch(value) is None and _CAPITALS.fullmatch(value) is None


def is_url_value(value: str) -> bool:
    """Tell whether it is the value of a parameter of an address, and not what stands in for it."""
    return not _stands_in(value) and not value.isupper() and len(set(value)) > 3
