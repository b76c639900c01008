"""Completion values from the host or the disk: sessions, modes, models, paths."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

from acp_jupyter.errors import AcpError
from acp_jupyter.kernel.client.connection import host_client
from acp_jupyter.kernel.connect import by_time, choose_session, short
from acp_jupyter.kernel.session import defaults, values_of
from acp_jupyter.transcript.model.session_state import SessionState

_MOST = 50
_MOST_ENTRIES = 5000
_SPECIAL = set(" \\'\"")


def session_ids() -> list[str]:
    """Return the short ids of sessions, the last changed first."""
    try:
        sessions = by_time(host_client().sessions())
    except AcpError:
        return []
    return [short(state.session_id) for state in sessions[:_MOST]]


def labels() -> list[str]:
    """Return the names of sessions that were used here."""
    return sorted(defaults.labels)


def paths(word: str) -> list[str]:
    """Return files and folders that begin with ``word``, without names that have a space."""
    folder = word[: word.rfind("/") + 1]
    hidden = word[len(folder) :].startswith(".")
    try:
        with os.scandir(Path(folder or ".").expanduser()) as entries:
            found = [
                f"{folder}{entry.name}{'/' * entry.is_dir()}"
                for entry in itertools.islice(entries, _MOST_ENTRIES)
                if hidden or not entry.name.startswith(".")
            ]
    except OSError:
        return []
    return sorted(path for path in found if not set(path) & _SPECIAL)


def setting_words(what: str) -> list[str]:
    """Return modes, models, or options with their values, as far as they are known."""
    try:
        state = choose_session(host_client())
    except AcpError:
        return []
    if what == "config":
        return [
            f"{option.id}={value}" for option in state.config_options for value in values_of(option)
        ]
    if what == "mode" and state.modes:
        return [mode.id for mode in state.modes]
    return _choices(state, what)


def _choices(state: SessionState, category: str) -> list[str]:
    options = (option for option in state.config_options if option.category == category)
    return [value for option in options for value in values_of(option)]
