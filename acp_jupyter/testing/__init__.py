"""Try an agent of your own with a scripted user, in a cell or in tests.

The agent runs in this process, without a server and without your settings. `Conversation` plays a
user who prompts, answers and cancels; `Checklist` tries what agents often get wrong. `talk_to` is a
pytest fixture: import it in a test module or in ``conftest.py``.
"""

from __future__ import annotations

import contextlib

from acp_jupyter.testing.checklist import HAZARDS, Checklist, Report, Result
from acp_jupyter.testing.conversation import Conversation

with contextlib.suppress(ImportError):  # a cell needs no pytest
    from acp_jupyter.testing.fixtures import talk_to as talk_to

__all__ = ["HAZARDS", "Checklist", "Conversation", "Report", "Result"]
