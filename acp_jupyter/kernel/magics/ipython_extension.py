"""The IPython extension that ``%load_ext acp_jupyter`` loads: the magics, and their completion."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
from pathlib import Path
from types import MethodType
from typing import TYPE_CHECKING, TypeVar

from IPython.core.completer import (
    CompletionContext,
    SimpleCompletion,
    SimpleMatcherResult,
    context_matcher,
)
from IPython.core.error import UsageError
from IPython.core.getipython import get_ipython

from acp_jupyter.api.cell_options import (
    CELL_OPTIONS,
    CHOICES,
    FLAGS,
    POLICIES,
    REPEATED,
    SANDBOXES,
    cell_help,
    parse_cell_line,
)
from acp_jupyter.errors import AcpError, BadLine
from acp_jupyter.features import registered
from acp_jupyter.kernel.magics.help import (
    EXPORT_OPTIONS,
    FORMATS,
    IMPORT_OPTIONS,
    KINDS,
    OF_FEATURES,
    SUBCOMMANDS,
)
from acp_jupyter.system.printing import echo

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell


_E = TypeVar("_E", bound=BaseException)
_DETAIL_LINES = 20


def cell_magic(line: str, cell: str) -> None:
    """Send the cell to an agent and wait for the end of its turn; see ``%%acp --help``."""
    try:
        options = parse_cell_line(line)
    except BadLine as error:
        raise UsageError(str(error)) from None
    if options.help:
        echo(cell_help())
        return
    if not cell.strip():
        raise UsageError(
            "The prompt is empty. Below the first line, write what the agent should do."
        )
    from acp_jupyter.kernel.magics.cell import run_cell

    shell = get_ipython()
    assert shell is not None
    try:
        for choose in registered("cell_prompt").values():
            options = choose(options, cell)
        run = run_cell if options.feature is None else options.feature.run
        run(shell, options, cell.strip("\n"))
    except BadLine as error:
        raise UsageError(str(error)) from None
    except AcpError as error:
        raise _in_few_lines(error) from None
    except KeyboardInterrupt:
        raise _in_few_lines(KeyboardInterrupt("Stopped by you.")) from None


def line_magic(line: str) -> None:
    """Look after agents and sessions; see ``%acp help``."""
    from acp_jupyter.kernel.magics.subcommands import run_subcommand

    try:
        run_subcommand(line)
    except BadLine as error:
        raise UsageError(str(error)) from None
    except AcpError as error:
        raise _in_few_lines(error) from None


def _in_few_lines(error: _E) -> _E:
    """Make IPython show only the message of an error.

    A traceback inside this package doesn't help, and would save its paths in the notebook.
    """
    error._render_traceback_ = MethodType(_traceback, error)  # type: ignore[attr-defined]
    return error


def _traceback(error: BaseException) -> list[str]:
    if not isinstance(error, AcpError):
        return [f"{type(error).__name__}: {error}"]
    return [error.message, *error.detail.splitlines()[-_DETAIL_LINES:]]


def _with_body(lines: list[str]) -> list[str]:
    """Add a body to a cell that is only ``%%acp …``, as IPython needs one to call the magic.

    So ``%%acp --help`` works, and an empty prompt gets our error message.
    """
    written = [line for line in lines if line.strip()]
    alone = len(written) == 1 and written[0].split()[0] == "%%acp"
    return [*lines, "\n"] if alone else lines


# Else a terminal would take the first line of a cell for all of it.
_with_body.has_side_effects = True  # type: ignore[attr-defined]


def load_ipython_extension(ipython: InteractiveShell) -> None:
    """Add the magics and their completion."""
    register = ipython.register_magic_function
    register(cell_magic, "cell", "acp")  # type: ignore[arg-type]
    register(line_magic, "line", "acp")  # type: ignore[arg-type]
    add_completion(ipython)
    for note in registered("cell_ended").values():
        # A kernel may load this only because of the last cell, which failed.
        note(ipython.last_execution_result)
        ipython.events.register("post_run_cell", note)
    transforms = ipython.input_transformers_cleanup
    if _with_body not in transforms:
        transforms.insert(0, _with_body)


def unload_ipython_extension(ipython: InteractiveShell) -> None:
    """Take away what `load_ipython_extension` added. Sessions and their agents stay."""
    for magics in ipython.magics_manager.magics.values():
        magics.pop("acp", None)
    added = (
        (ipython.Completer.custom_matchers, _matcher),
        (ipython.input_transformers_cleanup, _with_body),
    )
    for where, what in added:
        if what in where:
            where.remove(what)
    for note in registered("cell_ended").values():
        with contextlib.suppress(ValueError):
            ipython.events.unregister("post_run_cell", note)


def add_completion(ipython: InteractiveShell) -> None:
    """Let Tab know the magics' words; loading the extension again changes nothing."""
    matchers = ipython.Completer.custom_matchers
    if _matcher not in matchers:
        matchers.append(_matcher)


@context_matcher(identifier="acp_jupyter")  # type: ignore[untyped-decorator]
def _matcher(context: CompletionContext) -> SimpleMatcherResult:
    line = context.text_until_cursor
    before = _WORD.findall(line)
    word = "" if not before or not line.endswith(before[-1]) else before.pop()
    if not before or before[0] not in {"%acp", "%%acp"}:
        return _mentions(context)
    if word.startswith("--") and "=" in word:
        option, _, word = word.partition("=")
        before.append(option)
    found = _cell_words(before, word) if before[0] == "%%acp" else _line_words(before, word)
    return _words([each for each in found if _fits(each, word)], word)


_WORD = re.compile(r"""(?:"[^"]*(?:"|$)|'[^']*(?:'|$)|[^\s"'])+""")
"""A word of a line; with spaces it is in quotes, and the second quote may be missing."""


def _fits(candidate: str, word: str) -> bool:
    """Return whether a candidate begins so; for a title, once begun, case does not count."""
    if not candidate.startswith('"'):
        return candidate.startswith(word)
    return word != "" and candidate[1:].casefold().startswith(word.lstrip("\"'").casefold())


def _mentions(context: CompletionContext) -> SimpleMatcherResult:
    """Return completions after ``@`` in a prompt; a page with the labextension offers more."""
    text = "".join(context.full_text.splitlines(keepends=True)[: context.cursor_line])
    word = re.search(r"(?<![^\s(\[{,;:\"'])@([^\s@]*)$", context.text_until_cursor)
    if word is None or not re.match(r"\s*(?:%%\S.*\n\s*)*%%acp\b", text):
        return _words([], "")
    from acp_jupyter.kernel.context_providers import offered_names

    found = [*_variables(), *_paths(word[1]), *offered_names(word[1])]
    return _words([f"@{each}" for each in found if each.startswith(word[1])], word[0])


def _words(words: list[str], fragment: str) -> SimpleMatcherResult:
    """Return the completions for Tab; they replace Python's, which don't fit such a line."""
    return SimpleMatcherResult(
        completions=[SimpleCompletion(word, type="magic") for word in words],
        suppress=bool(words),
        matched_fragment=fragment,
        ordered=True,
    )


def _cell_words(before: list[str], word: str) -> list[str]:
    if (choices := CHOICES.get(before[-1])) is not None:
        return list(choices)
    match before[-1]:
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
        case _:
            pass
    given = {each.partition("=")[0] for each in before}
    unused = [each for each in CELL_OPTIONS if each not in given or each in REPEATED]
    return unused if _names_agent(before) else [*_agent_names(), *unused]


def _names_agent(before: list[str]) -> bool:
    """Return whether any of the words is neither an option nor an option's value."""
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
    if any(each.name == name and each.takes_cell_options for each in OF_FEATURES):
        return _cell_words(before[1:], word)
    match [name, *given]:
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
    "limit": ("--turn",),
    "log": ("--lines", "--text"),
    **{each.name: each.options for each in OF_FEATURES},
}


def _first_words(name: str) -> list[str]:
    """Return what may stand right after a subcommand."""
    match name:
        case "help":
            return [words.split()[0] for words in SUBCOMMANDS]
        case "use" | "new" | "restart":
            return _agent_names()
        case "resume" | "fork" | "close" | "delete" | "log" | "usage":
            return _session_ids()
        case "mode" | "model" | "config":
            return _setting_words(name)
        case "policy":
            return [*POLICIES, "default"]
        case "sandbox":
            return [*SANDBOXES, "default"]
        case "agents":
            return ["--all"]
        case _:
            return [word for each in OF_FEATURES if each.name == name for word in each.first]


_MAX_SESSIONS = 50
_MAX_ENTRIES = 5000
_SPECIAL = set(" \\'\"")


def _paths(word: str) -> list[str]:
    """Return files and folders that begin with ``word``, without names that have a space."""
    folder = word[: word.rfind("/") + 1]
    hidden = word[len(folder) :].startswith(".")
    try:
        with os.scandir(Path(folder or ".").expanduser()) as entries:
            found = [
                f"{folder}{entry.name}{'/' * entry.is_dir()}"
                for entry in itertools.islice(entries, _MAX_ENTRIES)
                if hidden or not entry.name.startswith(".")
            ]
    except OSError:
        return []
    return sorted(path for path in found if not set(path) & _SPECIAL)


def _labels() -> list[str]:
    """Return the names of sessions that were used here."""
    from acp_jupyter.kernel.session import defaults

    return sorted(defaults.labels)


def _session_ids() -> list[str]:
    """Return the short ids of sessions, the last changed first."""
    from acp_jupyter.kernel.client.server_client import host_client
    from acp_jupyter.kernel.connect import by_time, short

    try:
        sessions = by_time(host_client().sessions())
    except AcpError:
        return []
    return [short(state.session_id) for state in sessions[:_MAX_SESSIONS]]


def _setting_words(what: str) -> list[str]:
    """Return modes, models, or options with their values, as far as known."""
    from acp_jupyter.api.settings import values_of
    from acp_jupyter.kernel.client.server_client import host_client
    from acp_jupyter.kernel.connect import choose_session

    try:
        state = choose_session(host_client())
    except AcpError:
        return []
    options = state.config_options
    if what == "config":
        return [f"{option.id}={value}" for option in options for value in values_of(option)]
    if what == "mode" and state.modes:
        return [mode.id for mode in state.modes]
    fitting = (option for option in options if option.category == what)
    return [value for option in fitting for value in values_of(option)]


def _agent_names() -> list[str]:
    from acp_jupyter.kernel.client.server_client import host_client

    try:
        agents = host_client().agents()
    except AcpError:
        return []
    others = [agent.name for agent in agents if agent.name.casefold() != agent.id.casefold()]
    titles = [f'"{name}"' for name in others if not set(name) & set('"\\\n')]
    return [*(agent.id for agent in agents), *titles]
