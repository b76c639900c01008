"""Splits shell text into simple commands, as far as possible without running it.

For POSIX shells, bash and zsh. Anything that is not understood makes the result uncertain and is
never guessed: asking the user costs a click, a wrong guess costs more.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import lru_cache

from acp_jupyter.transcript.rule_text import WINDOWS_CHARACTERS

_MAX_CHARS = 20_000
_MAX_WORDS = 2_000
_SIMPLE_VARIABLE = re.compile(r"\$\{[A-Za-z0-9_@#?*!]{1,100}\}")
_WHOLE = frozenset({"[", "[[", "{", "}"})
"""Words that would be patterns, were they not whole words."""
_ELSEWHERE = frozenset(WINDOWS_CHARACTERS) if os.name == "nt" else frozenset[str]()


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a command."""

    text: str
    known: bool = True
    """Whether the program gets exactly this text, as it has no variable and no pattern."""


@dataclass(frozen=True, slots=True)
class Script:
    """The commands in a shell text."""

    commands: tuple[tuple[Word, ...], ...] = ()
    """Simple commands, without redirections, in the order of the text."""
    certain: bool = True
    """Whether these are all commands, and no word before a variable is missing."""
    plain: bool = True
    """Whether they run one after the other, separated only by ``;``, ``&&``, ``||`` or lines."""


@lru_cache(maxsize=64)
def read_script(text: str) -> Script:
    """Split a shell text into its simple commands."""
    if len(text) > _MAX_CHARS:
        return Script(certain=False, plain=False)
    reader = _Reader(text)
    reader.read()
    return Script(tuple(reader.commands), reader.certain, reader.plain and reader.certain)


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.commands: list[tuple[Word, ...]] = []
        self.certain = self.plain = True
        self._words: list[Word] = []
        self._word: list[str] | None = None
        self._known = True
        self._quoted = False
        self._is_target = False
        """Whether the next word is the file of a redirection."""
        self._count = 0

    def read(self) -> None:
        shown = self.text.replace("\n", "").replace("\t", "")
        if not shown.isprintable() or not _ELSEWHERE.isdisjoint(shown):
            self.certain = False
        while self.at < len(self.text) and self._step():
            pass
        self._end_command()

    def _step(self) -> bool:  # noqa: C901 - one flat match
        """Read the next token; return False if the rest can't be parsed."""
        char = self.text[self.at]
        match char:
            case " " | "\t":
                self._end_word()
            case "\n" | ";":
                self._end_command()
            case "&" | "|":
                return self._operator(char)
            case "(" | ")" | "`":
                self._end_command()
                self.certain = False
            case "<" | ">":
                return self._redirection()
            case "'":
                return self._single()
            case '"':
                return self._double()
            case "\\":
                return self._escape()
            case "$":
                return self._dollar()
            case "{" if self.text.startswith("{}", self.at):
                self._put("{}")
                self.at += 1
            case "*" | "?" | "[" | "{" | "}" | "~":
                self._put(char, known=False)
            case "#" | "=" if self._word is None:
                self.certain = self.certain and char != "#"
                self._put(char, known=False)
            case _:
                self._put(char)
        self.at += 1
        return True

    def _put(self, text: str, *, known: bool = True) -> None:
        self._word = [] if self._word is None else self._word
        self._word.append(text)
        self._known = self._known and known

    def _end_word(self) -> None:
        if self._word is None:
            return
        text = "".join(self._word)
        whole = text in _WHOLE and not self._quoted
        self._count += 1
        if self._is_target:
            self._is_target = False
        elif self._count > _MAX_WORDS:
            self.certain = False
        else:
            self._words.append(Word(text, self._known or whole))
        self._word, self._known, self._quoted = None, True, False

    def _end_command(self) -> None:
        self._end_word()
        self._is_target = False
        if self._words:
            self.commands.append(tuple(self._words))
        self._words = []

    def _operator(self, char: str) -> bool:
        after = self.text[self.at + 1 : self.at + 2]
        self._end_command()  # ``&>`` is a redirection to bash, and this to sh
        self.plain = self.plain and after == char
        self.at += 2 if after == char or (char, after) == ("|", "&") else 1
        return True

    def _redirection(self) -> bool:
        self.plain = False
        if self._word is not None and "".join(self._word).isdigit() and not self._quoted:
            self._word = None  # the number of a file
            self._known = True
        self._end_word()
        mark = re.compile(r"<<<|<<|<>|<&|>>|>&|>\||[<>]").match(self.text, self.at)
        if mark is None or mark[0] == "<<":
            self.certain = False
            return False
        self.at = mark.end()
        self._is_target = True
        return True

    def _single(self) -> bool:
        end = self.text.find("'", self.at + 1)
        if end == -1:
            self.certain = False
            return False
        self._put(self.text[self.at + 1 : end])
        self._quoted = True
        self.at = end + 1
        return True

    def _double(self) -> bool:
        self._quoted = True
        self._put("")
        self.at += 1
        while self.at < len(self.text):
            char = self.text[self.at]
            after = self.text[self.at + 1 : self.at + 2]
            if char == '"':
                self.at += 1
                return True
            if char == "\\" and after and after in '$`"\\\n':
                self._put("" if after == "\n" else after)
                self.at += 2
            elif char == "$":
                if not self._variable():
                    return False
            elif char == "`":
                break
            else:
                self._put(char)
                self.at += 1
        self.certain = False
        return False

    def _escape(self) -> bool:
        after = self.text[self.at + 1 : self.at + 2]
        self.plain = False
        if not after:
            self.certain = False
            return False
        if after != "\n":
            self._put(after)
            self._quoted = True
        self.at += 2
        return True

    def _dollar(self) -> bool:
        if self.text[self.at + 1 : self.at + 2] in {"'", '"'}:
            self.certain = False
            return False
        return self._variable()

    def _variable(self) -> bool:
        self.plain = False
        self._put("$", known=False)
        after = self.text[self.at + 1 : self.at + 2]
        if after == "{":
            simple = _SIMPLE_VARIABLE.match(self.text, self.at)
            if simple is None:
                self.certain = False
                return False
            self.at = simple.end()
            return True
        if after == "(" and self._quoted:
            self.certain = False
            return False
        self.at += 1
        return True
