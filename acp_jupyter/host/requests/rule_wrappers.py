"""Finds commands that other programs run (``env``, ``sudo``, ``xargs``, ``find -exec``)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import PurePosixPath

from acp_jupyter.host.requests.rule_shell import Word, read_script

Words = tuple[Word, ...]

_MAX_COMMANDS = 100
_MAX_DEPTH = 8
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(\[\w*\])?\+?=")
_SHELLS = frozenset({"ash", "bash", "dash", "ksh", "mksh", "sh", "zsh"})
_SHELL_VALUES = frozenset({"-o", "-O", "+o", "+O", "--rcfile", "--init-file"})
_RESERVED = frozenset({
    "!", "{", "}", "if", "then", "else", "elif", "fi", "while", "until", "do", "done", "coproc",
})  # fmt: skip
_UNKNOWN = frozenset({"case", "function", "alias", "trap", "enable", "hash"})
_RUNNERS = frozenset({
    "at", "batch", "bunx", "chrt", "cmd", "crontab", "csh", "docker", "entr", "expect",
    "firejail", "fish", "flock", "gdb", "kubectl", "lldb", "ltrace", "npx", "nsenter", "nu",
    "numactl", "osascript", "parallel", "pkexec", "podman", "powershell", "pwsh", "rlwrap",
    "runuser", "screen", "script", "ssh", "strace", "su", "systemd-run", "taskset", "tcsh",
    "tmux", "unbuffer", "unshare", "uvx", "watch", "wsl", "xonsh",
})  # fmt: skip
"""Programs that run their arguments, each with a syntax of its own."""
_PROGRAM_ENDINGS = frozenset({"bat", "cmd", "com", "exe", "ps1"})
_INTERPRETER = re.compile(
    r"(python|pypy|perl|ruby|node|nodejs|deno|bun|php|lua|tclsh|rscript|julia)[\d.]*"
)
_AWK = frozenset({"awk", "gawk", "mawk", "nawk"})
_FIND_RUNS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})


@dataclass(frozen=True, slots=True)
class _Wrapper:
    """The options of a program that runs the command after them."""

    flags: str = ""
    values: str = ""
    """Letters of options whose value is the next word or the rest of their own."""
    attached: str = ""
    """Letters of options whose value may be the rest of their own word."""
    long_flags: str = ""
    long_values: str = ""
    assignments: bool = False
    operands: int = 0


_WRAPPERS = {
    "builtin": _Wrapper(),
    "busybox": _Wrapper(),
    "chroot": _Wrapper(long_flags="skip-chdir", long_values="userspec groups", operands=1),
    "command": _Wrapper("pvV"),
    "doas": _Wrapper("nsL", "uC"),
    "env": _Wrapper("i0v", "uCP", "", "ignore-environment null debug", "unset chdir", True),
    "exec": _Wrapper("cl", "a"),
    "ionice": _Wrapper("t", "cnpPu", "", "ignore", "class classdata"),
    "nice": _Wrapper("0123456789", "n", "", "", "adjustment"),
    "nocorrect": _Wrapper(),
    "noglob": _Wrapper(),
    "nohup": _Wrapper(),
    "setsid": _Wrapper("cfw", long_flags="ctty fork wait"),
    "stdbuf": _Wrapper("", "ioe", "", "", "input output error"),
    "sudo": _Wrapper(
        "ABEHKNPSbeiklnsv",
        "CDRTUghprtu",
        "",
        "askpass background bell login non-interactive preserve-env preserve-groups "
        "reset-timestamp set-home shell stdin",
        "chdir chroot close-from command-timeout group host other-user prompt role type user",
        True,
    ),
    "time": _Wrapper("ahlpqv", "of", "", "append portability quiet verbose", "format output"),
    "timeout": _Wrapper(
        "fpv", "ks", "", "foreground preserve-status verbose", "kill-after signal", operands=1
    ),
    "toybox": _Wrapper(),
    "xargs": _Wrapper(
        "0oprtx",
        "EILPRSJadns",
        "eil",
        "exit interactive no-run-if-empty null open-tty replace verbose",
        "arg-file delimiter eof max-args max-chars max-lines max-procs",
    ),
}
_WRAPPERS["gtimeout"] = _WRAPPERS["timeout"]
_WRAPPERS["genv"] = _WRAPPERS["env"]
_WRAPPERS["gxargs"] = _WRAPPERS["xargs"]


@dataclass(slots=True)
class Commands:
    """All simple commands in a shell text, also those that other commands run."""

    found: list[Words] = field(default_factory=list)
    """The commands; one in a wrapper is included both with the wrapper and without it."""
    certain: bool = True
    """Whether these are all commands that the text runs."""
    runs_others: bool = False
    """Whether one of the programs may run its arguments."""
    words: set[str] = field(default_factory=set)
    """All words of the text, unchanged."""
    names: set[str] = field(default_factory=set)
    """Words that could name a program."""


@lru_cache(maxsize=64)
def commands_of(text: str) -> Commands:
    """Return the commands of a shell text, and those inside wrappers."""
    commands = Commands()
    _read(text, commands, 0)
    parts = {part for word in commands.words for part in re.split(r"[^\w./+-]+", word)}
    commands.names = {program_name(part) for part in parts if part}
    return commands


def program_name(word: str) -> str:
    """Return a program's name without its folder, in lower case."""
    name = PurePosixPath(word.replace("\\", "/")).name.casefold()
    name = name.rstrip(". ") or name  # as Windows looks for it
    stem, dot, ending = name.rpartition(".")
    return stem if dot and ending in _PROGRAM_ENDINGS else name


def _read(text: str, into: Commands, depth: int) -> None:
    script = read_script(text)
    into.certain = into.certain and script.certain
    for words in script.commands:
        into.words.update(word.text for word in words)
        _unwrap(words, into, depth)


def _unwrap(words: Words, into: Commands, depth: int) -> None:
    if depth > _MAX_DEPTH:
        into.certain = False
        return
    while words:
        if len(into.found) >= _MAX_COMMANDS:
            into.certain = False
            return
        first = words[0]
        if _ASSIGNMENT.match(first.text) or (first.known and first.text in _RESERVED):
            words = words[1:]
            continue
        into.found.append(words)
        if not first.known or first.text.startswith("-"):
            into.certain = False
            return
        inner = _inner(program_name(first.text), words[1:], into, depth)
        if inner is None:
            into.certain = False
            return
        words = inner


def _inner(  # noqa: C901 - one flat list of kinds
    name: str, rest: Words, into: Commands, depth: int
) -> Words | None:
    """Return the command that a program runs: empty for none, None if unclear."""
    if name in _UNKNOWN:
        return None
    if name in _SHELLS:
        return _shell(rest, into, depth)
    if name == "eval":
        return _script(
            Word(" ".join(w.text for w in rest), all(w.known for w in rest)), into, depth
        )
    if name in {"find", "gfind"}:
        for command in _found_by_find(rest):
            _unwrap(_with_placeholders(command, ("{}",)), into, depth + 1)
        return ()
    wrapper = _WRAPPERS.get(name)
    if wrapper is None:
        into.runs_others = into.runs_others or _runs_others(name, rest)
        return ()
    own = _without_own(wrapper, rest, bare_dash=name == "env")
    if name == "sudo" and rest and not own:
        return None  # perhaps a shell, which reads its commands from elsewhere
    if own is None or not name.endswith("xargs"):
        return own
    options = [word.text for word in rest[: len(rest) - len(own)]]
    odd = [o for o in options if re.match(r"-[^-]*[IJi]|--replace", o)]
    if any(o not in {"-I", "-i", "-i{}", "-I{}", "--replace", "--replace={}"} for o in odd):
        return None
    if "-I" in options and "{}" not in options:
        return None
    return (*_with_placeholders(own, ("{}",) if odd else ()), Word("", known=False)) if own else ()


def _found_by_find(words: Words) -> Iterator[Words]:
    begin: int | None = None
    for index, word in enumerate(words):
        if begin is None and word.text in _FIND_RUNS:
            begin = index + 1
        elif begin is not None and word.text in {";", "+"}:
            yield words[begin:index]
            begin = None
    if begin is not None:
        yield words[begin:]


def _with_placeholders(words: Words, marks: tuple[str, ...]) -> Words:
    """Return the words, with those that contain a placeholder marked as unknown."""
    return tuple(
        Word(word.text, word.known and not any(mark in word.text for mark in marks))
        for word in words
    )


def _without_own(wrapper: _Wrapper, words: Words, *, bare_dash: bool) -> Words | None:
    """Return the words after a wrapper's own options and operands; None if that is unclear."""
    while words and words[0].text.startswith("-"):
        option = words[0]
        if option.text == "--":
            words = words[1:]
            break
        if option.text == "-":
            if not bare_dash:
                return None
            words = words[1:]
            continue
        taken = _option_words(wrapper, option.text)
        if taken == 0 or not all(word.known for word in words[:taken]):
            return None
        words = words[taken:]
    while wrapper.assignments and words and _ASSIGNMENT.match(words[0].text):
        words = words[1:]
    if not all(word.known for word in words[: wrapper.operands]):
        return None
    return words[wrapper.operands :]


def _option_words(wrapper: _Wrapper, option: str) -> int:
    """Return how many words an option takes; 0 if it is unknown."""
    if option.startswith("--"):
        name, equals, _value = option[2:].partition("=")
        if name in wrapper.long_values.split():
            return 1 if equals else 2
        return 1 if name in wrapper.long_flags.split() else 0
    for index, letter in enumerate(option[1:], 1):
        if letter in wrapper.values:
            return 1 if index + 1 < len(option) else 2
        if letter in wrapper.attached:
            return 1
        if letter not in wrapper.flags:
            return 0
    return 1


def _shell(words: Words, into: Commands, depth: int) -> Words | None:
    """Read the script that a shell gets with ``-c``; a script file is not read."""
    is_script = False
    while words:
        option = words[0]
        if not option.known:
            return None
        if not option.text.startswith(("-", "+")) or option.text in {"-", "--"}:
            break
        if not option.text.startswith("--"):
            is_script = is_script or ("c" in option.text and option.text.startswith("-"))
            if "s" in option.text and option.text.startswith("-") and not is_script:
                return None
        words = words[2 if option.text in _SHELL_VALUES else 1 :]
    if words and words[0].text in {"-", "--"}:
        words = words[1:]
    if not words:
        return None  # the shell reads its commands from elsewhere
    return _script(words[0], into, depth) if is_script else ()


def _script(word: Word, into: Commands, depth: int) -> Words | None:
    if not word.known:
        return None
    _read(word.text, into, depth + 1)
    return ()


def _runs_others(name: str, rest: Words) -> bool:
    texts = [word.text for word in rest]
    if name in _RUNNERS:
        return True
    if name in _AWK:
        return any(mark in text for text in texts for mark in ("system", "|", "getline"))
    if _INTERPRETER.fullmatch(name) is None:
        return False
    given = re.compile(r"-\w*[cerE]|--eval|--execute|--print|-$")
    reads_input = all(text.startswith("-") for text in texts)
    return any(map(given.match, texts)) or "eval" in texts[:1] or reads_input
