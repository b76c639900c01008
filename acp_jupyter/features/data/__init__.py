"""What is kept on this machine: shown and deleted by ``jupyter acp data``."""

from __future__ import annotations

from acp_jupyter.feature import Feature, Program

FEATURE = Feature(
    program=Program("data", "show what is kept on this machine, and delete it", "command:main"),
)
