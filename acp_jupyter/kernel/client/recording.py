"""``%acp record`` and ``%acp replay``: whether this kernel's sessions are recorded or replayed.

The last of these lines counts, else the environment variable ``ACP_JUPYTER_RECORD``.
"""

from __future__ import annotations

import contextlib
import os
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from acp_jupyter.errors import BadRequest
from acp_jupyter.features import features
from acp_jupyter.host.recording_options import RecordingOptions, recording_folder
from acp_jupyter.kernel.client.host_client import HostClient
from acp_jupyter.kernel.client.run_notebook import run_notebook
from acp_jupyter.kernel.execution_context import execution_context

VARIABLE = "ACP_JUPYTER_RECORD"
"""Environment variable: ``record``, ``replay`` or ``off``; a path may follow a colon."""

Mode = Literal["record", "replay"]


@dataclass(slots=True)
class _Choice:
    options: RecordingOptions | None = None
    is_chosen: bool = False
    """Whether a line chose, so that the environment no longer counts."""


_choice = _Choice()


def recording_options() -> RecordingOptions | None:
    """Return the recording options for sessions: of the last ``%acp`` line or the environment."""
    if not _choice.is_chosen:
        _choose(_from_environment(os.environ.get(VARIABLE, "")))
    return _choice.options


def is_replaying() -> bool:
    """Return whether sessions are played from recordings, so that no agent is needed."""
    options = recording_options()
    return options is not None and options.mode == "replay"


def run_recording(mode: Mode, rest: Sequence[str], client: HostClient) -> str:
    """Run ``%acp record`` or ``%acp replay``; return a message."""
    match rest:
        case [] | ["status"]:
            return _status(client)
        case ["off"]:
            with contextlib.suppress(BadRequest):
                recording_options()
            if _choice.options is None or _choice.options.mode == mode:
                _choose(None)
            return _status(client)
        case ["on", *path] if len(path) <= 1:
            options = _options(mode, *path)
            recording_folder(client.notebook_path, options)
            _choose(options)
            return _status(client)
        case _:
            from IPython.core.error import UsageError

            raise UsageError(f"Type %acp {mode} on, %acp {mode} on NAME.acp, or %acp {mode} off.")


def _choose(options: RecordingOptions | None) -> None:
    if not any(feature.recordings for feature in features().values()):
        if options is not None and options.mode == "replay":
            raise BadRequest("Recordings can't be played here.")
        options = None
    _choice.options, _choice.is_chosen = options, True


def _options(mode: Mode, path: str = "") -> RecordingOptions:
    return RecordingOptions(mode=mode, path=path, run=uuid.uuid4().hex)


def _status(client: HostClient) -> str:
    options = recording_options()
    if options is None:
        return "Nothing is being recorded or replayed."
    folder = recording_folder(client.notebook_path, options)
    if options.mode == "record":
        return (
            f"From now on, new sessions are recorded in {folder}. Run the cells in their "
            "order, each once."
        )
    return f"Turns are played from {folder}. No agent is started."


def _name_of_run() -> str:
    """Return the notebook that a program runs here; empty if a frontend has it open."""
    return run_notebook() if execution_context().frontend == "batch" else ""


def _from_environment(value: str) -> RecordingOptions | None:
    mode, _, path = value.partition(":")
    match mode.strip().lower():
        case "" | "off":
            return None
        case "record":
            return _options("record", path.strip() or _name_of_run())
        case "replay":
            return _options("replay", path.strip() or _name_of_run())
        case _:
            raise BadRequest(
                f"{VARIABLE} is {value[:60]!r}. Set it to record, replay or off; name the "
                "recording after a colon, for example replay:analysis.acp."
            )
