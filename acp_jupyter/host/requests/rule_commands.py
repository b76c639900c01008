"""Matches commands with the patterns of rules.

Rules that allow match narrowly: each simple command of a list must match a rule word by word.
Rules that deny match widely: a program counts in any folder and under any wrapper. Within a word
``*`` matches a part of one name: no folder, no path that leads out, no option. As the last word
it matches any further words that stay in the folder, and options whose names do not say that
they write or run something. Other options need a rule that names them, or the user.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from enum import IntEnum
from fnmatch import fnmatchcase

from acp_jupyter.host.requests.rule_shell import Word, read_script
from acp_jupyter.host.requests.rule_wrappers import Commands, commands_of, program_name
from acp_jupyter.protocol.tools.inputs import is_shell
from acp_jupyter.transcript.rule_text import is_plain_command_list, pattern_words, plain_words

_MAX_DEPTH = 3
_CHANGES_THE_SHELL = frozenset({
    ".", "alias", "builtin", "cd", "command", "declare", "enable", "eval", "exec", "export",
    "function", "hash", "let", "local", "popd", "pushd", "read", "readonly", "set", "setopt",
    "shopt", "source", "trap", "typeset", "ulimit", "umask", "unalias", "unset",
})  # fmt: skip
"""Words that change the meaning of the words after them."""


class Denial(IntEnum):
    """The verdict of a rule that denies; the greatest of several counts."""

    NO = 0
    PERHAPS = 1
    """A program might run what the rule names; then no policy may allow it, but a rule may."""
    UNKNOWN = 2
    YES = 3


def allowing(patterns: Iterable[str], command: str, folder: str) -> int | None:
    """Return the index of the pattern that allows the first part, if all parts are allowed.

    Parameters
    ----------
    folder
        The session's folder; paths below it do not lead out.
    """
    known = [pattern_words(pattern) for pattern in patterns]
    whole = plain_words(command)
    by = None if whole is None else _first(known, whole, folder)
    if by is not None:
        return by
    found = [_first(known, words, folder) for words in _list(command) or ()]
    return None if None in found or not found else found[0]


def _list(command: str, depth: int = 0) -> list[tuple[str, ...]] | None:
    """Split a list of commands into words; None if a shell could do anything beyond it."""
    script = read_script(command)
    if not is_plain_command_list(command) or not script.plain or depth > _MAX_DEPTH:
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
    """Return whether a rule denies a command or anything that it runs."""
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
    for index, each in enumerate(named):
        if index >= len(words):
            return Denial.NO
        word = words[index]
        if not word.known:
            return Denial.UNKNOWN  # it may be any words, or none
        if not _is(each, word.text, program=index == 0):
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
    """Return whether a program may run what a rule names: all its words occur somewhere."""
    named = [word for word in wanted if word != "*"]
    if commands.runs_others or not named:
        return commands.runs_others
    program, *others = named
    if "*" in program:
        is_named = any(fnmatchcase(name, program.casefold()) for name in commands.names)
    else:
        is_named = program_name(program) in commands.names
    return is_named and all("*" in other or other in commands.words for other in others)


_ADDRESS = re.compile(r"(?!file:)[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_LONG = re.compile(r"--([A-Za-z][A-Za-z0-9-]*)(=(.*))?")
_SHORT = re.compile(r"-([A-Za-z]+|[A-Za-z]?\d+)")
_WRITES_OR_RUNS = (
    "checkpoint-action", "command", "compress-program", "eval", "exec", "ext-diff", "init-file",
    "open-files-in-pager", "output", "outfile", "pager", "pre", "program",
    "rcfile", "receive-pack", "rsh", "shell", "textconv", "to-command", "upload-pack",
    "use-compress-program",
)  # fmt: skip
"""Long options that write or run something; programs accept a prefix of a name."""
_PARTS = frozenset({"cmd", "command", "editor", "hook", "hooks", "pager", "rsh", "shell"})
_SINGLE_DASH = frozenset({"delete", "fls", "fprint", "fprintf", "ok", "okdir"})
_LETTERS: dict[str, str] = {
    "curl": "DKc",
    "man": "P",
    "rsync": "e",
    "sed": "i",
    "ssh": "F",
    "tar": "FI",
    "wget": "Pae",
    "zip": "T",
}
"""Short options that write or run something, beside ``-o`` and ``-O``."""


def match_word(wanted: str, word: str) -> bool:
    """Return whether a word matches a word of a rule."""
    if "*" not in wanted:
        return wanted == word
    if word.startswith("-") and wanted.startswith("*"):
        return False
    names, parts = word.split("/"), wanted.split("/")
    return (
        len(names) == len(parts)
        and all(map(fnmatchcase, names, parts))
        and ".." not in re.split(r"[/\\=:@,]", word)
    )


def match_further(program: str, word: str, folder: str) -> bool:
    """Return whether a word matches the final ``*`` of a rule for a program."""
    if _leads_out(word, folder):
        return False
    return not word.startswith("-") or word == "--" or _is_harmless(program, word)


def _leads_out(word: str, folder: str) -> bool:
    if _ADDRESS.match(word):
        return False
    for piece in re.split(r"[=@,:]", word):
        if ".." in re.split(r"[/\\]", piece) or piece.startswith("~"):
            return True
        inside = folder and (piece == folder or piece.startswith(f"{folder.rstrip('/')}/"))
        if piece.startswith(("/", "\\")) and not inside:
            return True
    return word.casefold().startswith("file:")


def _is_harmless(program: str, option: str) -> bool:
    if short := _SHORT.fullmatch(option):
        letters = short[1]
        dangerous = "oO" + _LETTERS.get(posixpath.basename(program), "")
        return (
            set(dangerous).isdisjoint(letters)
            and letters not in _SINGLE_DASH
            and not letters.startswith("exec")
        )
    long = _LONG.fullmatch(option)
    if long is None:
        return False
    name, value = long[1].lower(), long[3] or ""
    hidden = any(part.startswith(".") and part != "." for part in value.split("/"))
    return not hidden and (name.startswith("no-") or not _writes_or_runs(name))


def _writes_or_runs(name: str) -> bool:
    parts = name.split("-")
    return (
        any(each.startswith(name) for each in _WRITES_OR_RUNS)
        or any(part.startswith(("out", "exec")) for part in parts)
        or not _PARTS.isdisjoint(parts)
    )
