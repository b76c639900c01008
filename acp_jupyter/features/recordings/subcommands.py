"""The subcommands ``%acp record`` and ``%acp replay``."""

from __future__ import annotations

from collections.abc import Sequence

from acp_jupyter.kernel.magics.subcommand import Subcommand

_DETAILS = (
    "PATH ends with .acp; default: beside the notebook, by its name.",
    "Without on or off it says what is recorded or replayed.",
)
_WORDS = ("on", "off", "status")


def _record(rest: Sequence[str]) -> None:
    from acp_jupyter.features.recordings.kernel import record

    record(rest)


def _replay(rest: Sequence[str]) -> None:
    from acp_jupyter.features.recordings.kernel import replay

    replay(rest)


SUBCOMMANDS = (
    Subcommand(
        "record [on|off] [PATH]",
        "record this notebook's sessions, to replay them without an agent",
        _record,
        after="status",
        details=_DETAILS,
        first=_WORDS,
    ),
    Subcommand(
        "replay [on|off] [PATH]",
        "play the recorded sessions in place of agents",
        _replay,
        after="record",
        details=_DETAILS,
        first=_WORDS,
    ),
)
