"""What secrets look like: a table of patterns, each of which takes linear time.

The functions before it tell whether the value of something that is named like a secret is one, and
not a word, a path, a template or code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Protocol

REDACTED = "[redacted]"
"""Stands in place of a secret."""
_DIGIT = re.compile(r"[0-9]")
_LETTER = re.compile(r"[A-Za-z]")
_STANDS_IN = re.compile(r"[<>{}]|\$\(|\.\.\.|\*\*\*|\[redacted\]|(?i:your[_-]|x{4})")
"""Of a template, or of what was taken out."""
_PATH = re.compile(r"~?\.{0,2}/|[A-Za-z][A-Za-z0-9+.-]{0,20}://|[$%]")
_DOTTED = re.compile(r"[A-Za-z_]\w*+(?>(?:\.[A-Za-z_]\w*+)+)")
_TEXT = re.compile(r"[A-Z]?[a-z]++(?>(?:-[a-z]++)*)[.]?")
_HYPHENATED_WORDS = re.compile(r"[a-z]{1,15}+(?>(?:[_-]+[a-z]{1,15}+)*)")
_NUMBERED_WORDS = re.compile(
    r"[A-Za-z]++[0-9]{0,3}(?>(?:[_-](?:[A-Za-z]++[0-9]{0,3}|[0-9]{1,2}))*)"
)
"""Words with numbers behind them, as names in code have them: ``user_token_2``, ``Uint8``."""
_CAPITALS = re.compile(r"[A-Za-z][a-z]++[0-9]{0,5}(?>(?:[A-Z][a-z]++[0-9]{0,5})*)")
"""``Ed25519PrivateKey``."""


def _stands_in(value: str) -> bool:
    return _STANDS_IN.search(value) is not None or _PATH.match(value) is not None


def is_mixed(value: str) -> bool:
    """Tell whether it is not just words with lines between them."""
    return _HYPHENATED_WORDS.fullmatch(value) is None


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
    return _NUMBERED_WORDS.fullmatch(value) is None and _CAPITALS.fullmatch(value) is None


def is_url_value(value: str) -> bool:
    """Tell whether it is the value of a parameter of an address, and not what stands in for it."""
    return not _stands_in(value) and not value.isupper() and len(set(value)) > 3


_Span = tuple[int, int]

_WINDOW_CHARS = 256 * 1024
"""Searched in one go; other threads wait as long."""
_REACH_CHARS = 32 * 1024
"""A secret that begins in a window may go on for so long behind it."""
_KEY_BLOCK_CHARS = 32 * 1024


class Spans(Protocol):
    """Finds secrets of one kind."""

    @property
    def name(self) -> str:
        """Which kind."""

    @property
    def start(self) -> str:
        """A regular expression for how they begin."""

    def spans(self, text: str) -> Iterator[_Span]:
        """Yield where they are, in order."""


@dataclass(frozen=True, slots=True)
class SecretPattern:
    """One way to recognise a secret.

    Agents choose the text, so a pattern must not look at any character more than a few times:

    - it begins with a literal, which is looked for quickly; what must stand before that is a
      lookbehind after it;
    - a quantifier without a bound is possessive: it gives nothing back;
    - what may still fail after such a run begins only where the run begins, or with what the run
      can't hold.

    Attributes
    ----------
    name
        Which kind of secret.
    start
        How it begins, as a regular expression.
    rest
        What follows. Its group is the secret, if it has one; else all of it is.
    likely
        Tells of a secret that was found whether it is one indeed.
    """

    name: str
    start: str
    rest: str
    likely: Callable[[str], bool] | None = None

    def spans(self, text: str) -> Iterator[_Span]:
        """Yield where secrets of this kind are, in order."""
        regex = _compiled(self.start + self.rest)
        begin = 0
        while begin < len(text):
            end = begin + _WINDOW_CHARS
            limit = min(len(text), end + _REACH_CHARS)
            begin = end
            for match in regex.finditer(text, end - _WINDOW_CHARS, limit):
                if match.start() >= end:
                    break
                if match.end() == limit < len(text):
                    match = regex.match(text, match.start()) or match
                begin = max(end, match.end())
                group = match.lastindex or 0
                if self.likely is None or self.likely(match[group]):
                    yield match.span(group)


@cache
def _compiled(regex: str) -> re.Pattern[str]:
    """Compile a pattern when it is first needed: all at once would take the time of an import."""
    return re.compile(regex)


@dataclass(frozen=True, slots=True)
class KeyBlocks:
    """Private keys in PEM: from ``BEGIN`` to ``END``; of one that was cut off, its lines."""

    name: str = "private key"
    start: str = "-----BEGIN "

    def spans(self, text: str) -> Iterator[_Span]:
        """Yield where they are, in order."""
        done, end = 0, -1
        for begin in _KEY_BEGIN.finditer(text):
            if begin.start() < done:
                continue
            if end < begin.end():  # looked for once for all that begin before it
                found = _KEY_END.search(text, begin.end())
                end, after = found.span() if found else (len(text) + _KEY_BLOCK_CHARS, 0)
            if end - begin.end() <= _KEY_BLOCK_CHARS and end <= len(text):
                done = after
            else:
                lines = _KEY_LINES.match(text, begin.end())
                done = lines.end() if lines else begin.end()
                if done == begin.end():
                    continue  # the line is only spoken of
            yield begin.start(), done


_KEY_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
# Groups are not repeated possessively: Python before 3.11.5 keeps what the last try has read.
_KEY_LINES = re.compile(r"(?>(?:(?>(?:\\[nr]|[\s>|]){1,20})[A-Za-z0-9+/=]{16,}+)*)")


def _token(
    name: str,
    start: str,
    body: str = "[A-Za-z0-9]",
    least: int = 20,
    likely: Callable[[str], bool] | None = None,
) -> SecretPattern:
    """Make a pattern for what begins with a literal, in no word, and is a run of characters."""
    rest = rf"(?<![A-Za-z0-9]{start}){body}{{{least},}}+[A-Za-z0-9]*+"
    return SecretPattern(name, start, rest, likely)


_WORD_CHARACTERS = "[A-Za-z0-9_-]"
_QUOTE = r"""\\{0,3}["'`]"""
_IS = rf"""(?:{_QUOTE}(?:, ?["']value["'])?)?[ \t]{{0,4}}(?::=?|={{1,3}}>?)[ \t]{{0,4}}"""
"""Between a name and its value: ``=``, ``: ``, ``": "``, ``:=``, ``=>``, ``","value":"``."""


def _named(
    name: str, start: str, rest: str, least: int, likely: Callable[[str], bool]
) -> Iterator[SecretPattern]:
    """Make patterns for the value of such a name, in quotes and without."""
    quoted = rf"{_QUOTE}([^\s\"'`\\]{{{least},4096}}+)(?={_QUOTE})"
    # Neither a quote nor = nor : is in it, so that no other name with its value is.
    bare = rf"([A-Za-z0-9_~/+.!@#%^*?-]{{{least},4096}}+={{0,3}})"
    yield SecretPattern(f"{name} in quotes", start, rest + _IS + quoted, likely)
    yield SecretPattern(name, start, rest + _IS + bare + r"(?![\w\[({<>$)},:=])", likely)
    # What is passed to a function may be the name of a variable.
    yield SecretPattern(f"{name} in a list", start, rest + _IS + bare + "(?=[,)}])", is_random)


def _keys(key: str, *qualifiers: str) -> str:
    """Return a lookbehind for ``key`` after one of these words; each row has one length."""
    return "(?:" + "|".join(f"(?<={words}{key})" for words in qualifiers) + ")"


_LOWER = ("api", "auth", "(?:access|secret)", "(?:private|account|signing)", "encryption")
_UPPER = tuple(words.upper() for words in _LOWER)
_CAPITAL = ("[aA]pi", "[aA]uth", "(?:[aA]ccess|[sS]ecret)", "(?:[pP]rivate|[aA]ccount)")

PATTERNS: tuple[Spans, ...] = (
    KeyBlocks(),
    _token("OpenAI, Anthropic and others", "sk-", _WORD_CHARACTERS, 16, is_mixed),
    _token("GitHub", "gh[pousr]_"),
    _token("GitHub", "github_pat_", "[A-Za-z0-9_]"),
    _token("GitLab", "glpat-", _WORD_CHARACTERS, 16),
    _token("Slack", "xox[abeprs]-", "[A-Za-z0-9-]", 10),
    _token("Slack", "xapp-", "[A-Za-z0-9-]", 20, is_mixed),
    _token("Hugging Face", "hf_"),
    _token("npm", "npm_"),
    _token("PyPI", "pypi-", _WORD_CHARACTERS, 20, is_mixed),
    _token("Google", "AIza", _WORD_CHARACTERS, 30),
    _token("Google", "GOCSPX-", _WORD_CHARACTERS, 20),
    _token("Google", r"ya29\.", _WORD_CHARACTERS),
    _token("Groq", "gsk_"),
    _token("NVIDIA", "nvapi-", _WORD_CHARACTERS),
    _token("xAI", "xai-"),
    _token("Perplexity", "pplx-"),
    _token("Replicate", "r8_", "[A-Za-z0-9]", 30),
    _token("Databricks", "dapi", "[0-9a-f]", 32),
    _token("Docker", "dckr_pat_", _WORD_CHARACTERS),
    _token("Stripe", "sk_live_", "[A-Za-z0-9]", 10),
    _token("Stripe", "rk_live_", "[A-Za-z0-9]", 10),
    _token("Stripe", "sk_test_", "[A-Za-z0-9]", 10, is_mixed),
    _token("Stripe", "whsec_", "[A-Za-z0-9+/]", 20),
    _token("Shopify", "shpat_", "[0-9a-f]", 30),
    _token("DigitalOcean", "dop_v1_", "[0-9a-f]", 40),
    _token("Linear", "lin_api_"),
    _token("Vault", r"hvs\.", _WORD_CHARACTERS),
    _token("age", "AGE-SECRET-KEY-1", "[0-9A-Z]", 40),
    SecretPattern("AWS", "AKIA", r"(?<![A-Za-z0-9]AKIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    SecretPattern("AWS", "ASIA", r"(?<![A-Za-z0-9]ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    SecretPattern(
        "SendGrid",
        r"SG\.",
        rf"(?<![\w-]SG\.){_WORD_CHARACTERS}{{16,}}+\.{_WORD_CHARACTERS}{{16,}}+",
    ),
    SecretPattern(
        "JSON web token",
        "eyJ",
        rf"(?<![\w-]eyJ){_WORD_CHARACTERS}{{10,}}+(?:\.{_WORD_CHARACTERS}{{10,}}+){{2}}",
    ),
    SecretPattern("Slack", r"hooks\.slack\.com/services/", "([A-Za-z0-9/]{20,}+)"),
    SecretPattern("Telegram", ":AA", rf"(?<=[0-9]{{8}}:AA){_WORD_CHARACTERS}{{32,}}+"),
    SecretPattern("bearer", "earer[ \t]", r"[ \t]{0,3}([A-Za-z0-9._~+/-]{12,}+=*+)", is_bearer),
    *(
        SecretPattern(
            "authorization",
            start,
            rf"(?i:{_IS}(?:{_QUOTE})?(?:basic|digest|token|apikey)[ \t]{{1,4}})"
            r"([A-Za-z0-9._~+/-]{8,}+=*+)",
        )
        for start in ("uthorization", "UTHORIZATION")
    ),
    SecretPattern(
        "in an address",
        "://",
        r"([^\s/:@\"'`<>{}\\]{1,200}+:(?!\$)[^\s/@\"'`<>{}\\]{1,200}+)(?=@)",
    ),
    SecretPattern(
        "in an address",
        "[?&]",
        r"[A-Za-z0-9_.-]{1,64}+=(?:(?<=[oO]ken=)|(?<=[sS]ig=)|(?<=[sS]ignature=)|(?<=[sS]ecret=)"
        r"|(?<=[pP]assword=)|(?<=[aA]pi[kK]ey=)|(?<=[aA]pi[_-]key=))"
        r"([^\s&#\"'`<>{}()\[\]\\$]{8,}+)",
        is_url_value,
    ),
    *(
        pattern
        for start in ("pass", "Pass", "PASS")
        for pattern in _named("password", start, "(?i:word|wd|phrase)", 8, is_password)
    ),
    *(
        pattern
        for start in ("pwd", "Pwd", "PWD")
        for pattern in _named("password", start, "", 8, is_password)
    ),
    *(
        pattern
        for start in ("oken", "OKEN", "ecret", "ECRET")
        for pattern in _named("token", start, "", 16, is_random)
    ),
    *_named("key", "key", _keys("[_-]key", *_LOWER), 16, is_random),
    *_named("key", "key", _keys("key", *_LOWER), 16, is_random),
    *_named("key", "Key", _keys("Key", *_CAPITAL), 16, is_random),
    *_named("key", "Key", _keys("-Key", *_CAPITAL), 16, is_random),
    *_named("key", "KEY", _keys("[_-]KEY", *_UPPER), 16, is_random),
)
"""In the order in which they are taken out of a text."""

_CLASS = re.compile(r"\[([^]\\-]{1,20})\]")


def literals_of(start: str) -> list[str]:
    """Return all that a pattern's start matches: its only signs are ``[abc]`` and a backslash."""
    found = _CLASS.search(start)
    if found is None:
        return [re.sub(r"\\(.)", r"\1", start)]
    before, after = start[: found.start()], start[found.end() :]
    return [each for one in found[1] for each in literals_of(f"{before}{re.escape(one)}{after}")]


_STARTS = tuple(dict.fromkeys(each for pattern in PATTERNS for each in literals_of(pattern.start)))


def maybe_secret(text: str) -> bool:
    """Tell whether something begins in ``text`` as a secret does: quick where it is short.

    Looking for each start takes half the time that one regular expression of all takes.
    """
    return any(map(text.__contains__, _STARTS))
