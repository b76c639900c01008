"""What is changed in the home folder is recorded, and nothing of Jupyter's own."""

from __future__ import annotations

from acp_jupyter.host.recording_options import RecordingOptions
from acp_jupyter.host.store.log_reader import read_traffic
from tests.host.workspace.test_own_folders import OWN, WORK, home
from tests.support.host.driver import Driver

__all__ = ["home"]


def test_a_turn_in_the_home_folder_changes_what_it_changes(home: Driver) -> None:
    wish = RecordingOptions(mode="record", path="nb.acp")
    session = home.open("own", notebook_path="nb.ipynb", recording=wish)
    wanted = "\n".join(f"write {path} 1" for path in (*OWN, *WORK))
    turn_id = home.prompt(session, f"{wanted}\nsay Done")
    home.done(session, turn_id)
    home.result(session.turn_files.settled(turn_id))
    changes = session.transcript.turns[turn_id].changes
    assert changes is not None
    assert sorted(file.path for file in changes.files) == sorted(WORK)
    assert changes.words == ""
    session.journal.flush()
    log = read_traffic(home.host.traffic_path(session.session_id))
    notes = [e.message for e in log if e.message.get("note") == "files_changed"]
    recorded = [file["path"] for note in notes for file in note["files"]]
    assert sorted(recorded) == sorted(WORK)
