"""Tab completion of ``%%acp`` and ``%acp``.

What only the host knows is in `completion_values`, which is imported with the first Tab that needs
it.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from IPython.core.completer import (
    CompletionContext,
    SimpleCompletion,
    SimpleMatcherResult,
    context_matcher,
)
from IPython.core.getipython import get_ipython

from acp_jupyter.kernel.magics.cell_options import CELL_OPTIONS, FLAGS, POLICIES, REPEATED
from acp_jupyter.kernel.magics.subcommand_help import (
    EXPORT_OPTIONS,
    FORMATS,
    IMPORT_OPTIONS,
    KINDS,
    SUBCOMMANDS,
)

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell


def add_completion(ipython: InteractiveShell) -> None:
    """Let Tab know the magics' words; loading the extension again changes nothing."""
    matchers = ipython.Completer.custom_matchers
    if _matcher not in matchers:
        matchers.append(_matcher)


@context_matcher(identifier="acp_jupyter")  # type: ignore[untyped-decorator]
def _matcher(context: CompletionContext) -> SimpleMatcherResult:
    line = context.text_until_cursor
    before = line.split()
    word = "" if line[-1:].isspace() or not before else before.pop()
    if not before or before[0] not in {"%acp", "%%acp"}:
        return _words([], "")
    if word.startswith("--") and "=" in word:
        option, _, word = word.partition("=")
        before.append(option)
    found = _cell_words(before, word) if before[0] == "%%acp" else _line_words(before, word)
    return _words([candidate for candidate in found if candidate.startswith(word)], word)


def _words(words: list[str], fragment: str) -> SimpleMatcherResult:
    """Return what Tab offers; Python's own names have no place in such a line."""
    return SimpleMatcherResult(
        completions=[SimpleCompletion(word, type="magic") for word in words],
        suppress=bool(words),
        matched_fragment=fragment,
        ordered=True,
    )


def _cell_words(before: list[str], word: str) -> list[str]:
    match before[-1]:
        case "--policy":
            return list(POLICIES)
        case "--mode" | "--model" | "--config":
            return _setting_words(before[-1].removeprefix("--"))
        case "--session":
            return _labels()
        case "--attach":
            return _paths(word)
        case "--var":
            return _variables()
        case "--allow" | "--deny":
            return ["edit:", "execute:", "fetch:", "read"]
        case "--out" | "--timeout":
            return []
        case _:
            pass
    given = {each.partition("=")[0] for each in before}
    unused = [each for each in CELL_OPTIONS if each not in given or each in REPEATED]
    return unused if _names_agent(before) else [*_agent_names(), *unused]


def _names_agent(before: list[str]) -> bool:
    """Tell whether one of these words is neither an option nor the value of one."""
    words = itertools.pairwise(before)
    return any(not word.startswith("-") and not _takes_value(last) for last, word in words)


def _takes_value(word: str) -> bool:
    return word.startswith("-") and "=" not in word and word not in FLAGS


def _variables() -> list[str]:
    shell = get_ipython()
    hidden = shell.user_ns_hidden if shell is not None else {}
    names = tuple(shell.user_ns) if shell is not None else ()
    return sorted(name for name in names if not name.startswith("_") and name not in hidden)


def _line_words(before: list[str], word: str) -> list[str]:
    if len(before) == 1:
        return [words.split()[0] for words in SUBCOMMANDS]
    name, *given = before[1:]
    match [name, *given]:
        case ["fix", *_]:
            return _cell_words(before[1:], word)
        case ["export" | "import"] | ["record" | "replay", "on"]:
            return _paths(word)
        case [_]:
            return _first_words(name)
        case ["config", *_]:
            return _setting_words(name)
        case ["export", *_, "--format"]:
            return list(FORMATS)
        case ["import", *_, "--as"]:
            return list(KINDS)
        case ["export", *_, "--session"]:
            return _session_ids()
        case ["new", *_, "--session"]:
            return _labels()
        case _:
            return [option for option in _OPTIONS.get(name, ()) if option not in before]


_OPTIONS = {
    "agents": ("--all",),
    "export": EXPORT_OPTIONS,
    "import": IMPORT_OPTIONS,
    "new": ("--session",),
    "log": ("--lines", "--text"),
}


def _first_words(name: str) -> list[str]:
    """Return what may stand right after a subcommand."""
    match name:
        case "help":
            return [words.split()[0] for words in SUBCOMMANDS]
        case "use" | "new" | "restart":
            return _agent_names()
        case "resume" | "fork" | "close" | "delete" | "log":
            return _session_ids()
        case "mode" | "model" | "config":
            return _setting_words(name)
        case "policy":
            return [*POLICIES, "default"]
        case "record" | "replay":
            return ["on", "off", "status"]
        case "agents":
            return ["--all"]
        case _:
            return []


def _paths(word: str) -> list[str]:
    from acp_jupyter.kernel.magics.completion_values import paths

    return paths(word)


def _labels() -> list[str]:
    from acp_jupyter.kernel.magics.completion_values import labels

    return labels()


def _session_ids() -> list[str]:
    from acp_jupyter.kernel.magics.completion_values import session_ids

    return session_ids()


def _setting_words(what: str) -> list[str]:
    from acp_jupyter.kernel.magics.completion_values import setting_words

    return setting_words(what)


def _agent_names() -> list[str]:
    from acp_jupyter.errors import AcpError
    from acp_jupyter.kernel.client.connection import host_client

    try:
        return [agent.id for agent in host_client().agents()]
    except AcpError:
        return []
