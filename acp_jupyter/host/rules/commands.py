"""Patterns of rules against commands.

What allows is read narrowly: each simple command of a list is one that a rule names, word by word.
What denies is read widely: a program counts wherever it lies and whatever runs it.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from fnmatch import fnmatchcase

from acp_jupyter.host.rules.shell import Word, read_script
from acp_jupyter.host.rules.wildcards import match_further, match_word
from acp_jupyter.host.rules.wrappers import Commands, commands_of, program_name
from acp_jupyter.protocol.tools.inputs import is_shell
from acp_jupyter.transcript.permissions.rule_text import (
    is_plain_command_list,
    pattern_words,
    plain_words,
)

__all__ = ["Denial", "allowing", "denial"]

_MOST_DEEP = 3
_CHANGES_THE_SHELL = frozenset({
    ".", "alias", "builtin", "cd", "command", "declare", "enable", "eval", "exec", "export",
    "function", "hash", "let", "local", "popd", "pushd", "read", "readonly", "set", "setopt",
    "shopt", "source", "trap", "typeset", "ulimit", "umask", "unalias", "unset",
})  # fmt: skip
"""What comes after one of these is not what the same words would be by themselves."""


class Denial(IntEnum):
    """What a rule that denies says of a command; the greatest of several counts."""

    NO = 0
    PERHAPS = 1
    """A program may run what the rule names: a policy allows nothing then, a rule may."""
    UNKNOWN = 2
    YES = 3


def allowing(patterns: Iterable[str], command: str, folder: str) -> int | None:
    """Return which pattern allows a command's first part, if all of its parts are allowed.

    Parameters
    ----------
    patterns
        Of rules that allow.
    command
        As a shell gets it.
    folder
        The session's; paths below it do not lead out.
    """
    known = [pattern_words(pattern) for pattern in patterns]
    whole = plain_words(command)
    by = None if whole is None else _first(known, whole, folder)
    if by is not None:
        return by
    found = [_first(known, words, folder) for words in _list(command) or ()]
    return None if None in found or not found else found[0]


def _list(command: str, depth: int = 0) -> list[tuple[str, ...]] | None:
    """Return the commands of a list, by their words; None where a shell could do anything more."""
    script = read_script(command)
    if not is_plain_command_list(command) or not script.plain or depth > _MOST_DEEP:
        return None
    found: list[tuple[str, ...]] = []
    for words in script.commands:
        texts = tuple(word.text for word in words)
        match texts:
            case [str(program), "-c" | "-lc", inner] if is_shell(program):
                part = _list(inner, depth + 1)
                if part is None:
                    return None
                found += part
            case [str(program), *_] if "=" not in program and all(word.known for word in words):
                found.append(texts)
            case _:
                return None
    changes = any(texts[0] in _CHANGES_THE_SHELL for texts in found)
    return None if changes and len(found) > 1 else found


def _first(patterns: list[tuple[str, ...]], words: tuple[str, ...], folder: str) -> int | None:
    places = (n for n, wanted in enumerate(patterns) if _allows(wanted, words, folder))
    return next(places, None)


def _allows(wanted: tuple[str, ...], words: tuple[str, ...], folder: str) -> bool:
    if not wanted:
        return False
    further: tuple[str, ...] = ()
    if wanted[-1] == "*":
        wanted, further = wanted[:-1], words[len(wanted) - 1 :]
        words = words[: len(wanted)]
    return (
        len(words) == len(wanted)
        and all(map(match_word, wanted, words))
        and all(match_further(words[0], word, folder) for word in further)
    )


def denial(pattern: str, command: str) -> Denial:
    """Tell whether a rule denies a command, or anything that it runs."""
    commands = commands_of(command)
    wanted = pattern_words(pattern)
    verdicts = [_denies(wanted, words) for words in commands.found]
    if _may_run(wanted, commands):
        verdicts.append(Denial.PERHAPS)
    verdicts.append(Denial.NO if commands.certain else Denial.UNKNOWN)
    return max(verdicts)


def _denies(wanted: tuple[str, ...], words: tuple[Word, ...]) -> Denial:
    if not wanted:
        return Denial.YES
    open_end = wanted[-1] == "*"
    named = wanted[:-1] if open_end else wanted
    for place, each in enumerate(named):
        if place >= len(words):
            return Denial.NO
        word = words[place]
        if not word.known:
            return Denial.UNKNOWN  # it may be any words, or none
        if not _is(each, word.text, program=place == 0):
            return Denial.NO
    if not open_end and len(words) > len(named):
        unsure = any(not word.known for word in words[len(named) :])
        return Denial.UNKNOWN if unsure else Denial.NO
    return Denial.YES


def _is(wanted: str, word: str, *, program: bool) -> bool:
    if not program:
        return fnmatchcase(word, wanted)
    return any(
        fnmatchcase(name, wanted.casefold()) for name in (word.casefold(), program_name(word))
    )


def _may_run(wanted: tuple[str, ...], commands: Commands) -> bool:
    """Tell whether some program may run what a rule names: all of it stands there somewhere."""
    named = [word for word in wanted if word != "*"]
    if commands.runs_others or not named:
        return commands.runs_others
    program, *others = named
    if "*" in program:
        said = any(fnmatchcase(name, program.casefold()) for name in commands.names)
    else:
        said = program_name(program) in commands.names
    return said and all("*" in other or other in commands.words for other in others)
