"""No text that an agent writes makes scrubbing slow."""

from __future__ import annotations

import pytest

from acp_jupyter.features.recordings.recording_file import RecordingScrubber
from acp_jupyter.transcript.redactor import Redactor, Scrubber
from tests.support.patterns.pumped_texts import MAX_RATIO, grows_linearly, worst


@pytest.mark.parametrize("user", ["ada", "somebody"])
def test_places_and_names_are_found_in_linear_time(user: str) -> None:
    """What is saved loses its secrets, and where on which machine the work was done."""
    home = f"/home/{user}"
    scrubber = Scrubber(f"{home}/my work", home, Redactor(), paths={"/app": "/python"})
    record = RecordingScrubber(scrubber, user)
    units = [home, f"{home}/", f"{home}/my work", f"{home}/my%20work", "/home/", "/Users/x"]
    units += ["C:\\Users\\", "C:\\\\Users", "/app", "/", "\\", " ", "~", user, f"{user} ", "rw- 1 "]
    cases = [("", unit) for unit in units] + [(head, "x") for head in units]
    for case in worst(record.text, cases, 4):
        assert grows_linearly(record.text, case) < MAX_RATIO, case
