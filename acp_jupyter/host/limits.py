"""Limits of the host, all in one place, each with its unit in its name."""

from __future__ import annotations

from dataclasses import dataclass

_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """What an agent may use up, and how long anything waits for it.

    Attributes
    ----------
    line_bytes
        Longest line that an agent may write; a longer one is dropped and noted. A file of
        ``file_bytes`` fits, and so does a picture of 10 MB.
    noise_notes
        How many lines that are no protocol are kept per connection.
    noise_chars
        How much of each of them is kept.
    unsent_bytes
        How much may wait for an agent that does not read its stdin.
    open_requests
        Requests of an agent that may wait for an answer at once; more get an error.
    stderr_lines
        Last lines of stderr that are kept to be shown.
    stderr_line_chars
        Longest such line.
    spawn_seconds
        For the process to be started.
    initialize_seconds
        For the answer to ``initialize``.
    session_new_seconds
        For the answer to ``session/new``.
    authenticate_seconds
        For a login that an agent does by itself, in the user's browser.
    login_terminal_seconds
        For a login in a terminal.
    download_seconds
        For the answer to ``initialize`` of an agent whose package is fetched first.
    request_seconds
        For answers that the user waits for with a click: mode, configuration.
    send_seconds
        Without one byte being read by the agent; then it counts as dead.
    cancel_grace_seconds
        From ``session/cancel`` to the answer of the prompt.
    death_poll_seconds
        How often the process table is looked at where nothing tells of an end.
    stdin_eof_seconds
        From the end of stdin to SIGTERM.
    term_seconds
        From SIGTERM to SIGKILL.
    stable_seconds
        Of life, after which earlier crashes of an agent count no more.
    free_restarts
        Times that an agent may die before its next start is put off.
    restart_seconds
        Of the first such pause; each next one is twice as long.
    longest_restart_seconds
        Of any such pause.
    idle_seconds
        Without a turn, after which the agent of a session is left that it can take up again.
    heartbeat_seconds
        Between two signs of life for other servers with the same data folder.
    listed_sessions
        Newest ended sessions that are listed.
    woken_sessions
        Newest ended sessions of a notebook that are opened with it.
    silent_seconds
        Without a line from an agent that works, after which the page says so.
    replay_quiet_seconds
        Without a line, after which an agent has told all of a session that it loaded.
    replay_seconds
        That a replay may go on after its answer.
    file_bytes
        Largest file that ``fs/*`` reads or writes.
    queued_bytes
        Lines of a session's log that wait in memory while the disk does not answer, about. Four of
        the longest: a disk that is only slow loses none.
    unwritten_bytes
        Lines of a session's log that wait in memory while the disk takes nothing.
    traffic_log_bytes
        Largest traffic log of a session.
    stop_seconds
        From a stop to the turn's end, whether or not the agent has answered by then.
    late_text_seconds
        How long the end of a turn waits for text that some agents send after it.
    ring_events
        Events kept for readers that resume.
    ring_bytes
        Of those, about.
    shelf_bytes
        Of a session's past, on the disk in place of in memory.
    window_items
        Newest items in a snapshot.
    window_chars
        Text of those; what is longer is one item alone.
    window_turns
        Newest turns in a snapshot.
    queued_prompts
        Prompts that may wait in one session.
    prompt_blocks
        Parts of one prompt: text, images, files.
    prompt_bytes
        Of one prompt with all that is attached; base64 counts as it is written.
    sessions
        Sessions that may be open at once.
    packet_streams
        Programs that may follow sessions by HTTP at once.
    packet_pause_seconds
        Between two reads for one of them.
    ping_seconds
        How long its stream may be silent.
    import_bytes
        Largest log that is imported.
    import_lines
        Lines that an imported session may have.
    import_problems
        Problems of an imported log that are told one by one.
    scan_files
        Files and folders that are looked at for what a turn changed.
    scan_seconds
        For one such look.
    scan_hold_seconds
        How long the end of a turn waits for the second look.
    shown_artifacts
        Files of a turn that are shown as made by it.
    changed_file_bytes
        Largest file whose content is kept in the record of a notebook.
    changed_bytes
        All such files of one turn.
    recording_bytes
        Largest record of a session.
    checkpoint_files
        Files that are kept of a folder before and after a turn.
    checkpoint_bytes
        All of those that are new or have changed since the last time.
    checkpoint_file_bytes
        The largest of them.
    checkpoint_seconds
        For keeping a folder once.
    checkpoint_store_bytes
        All that is kept of one folder; beyond it the oldest is given up.
    listed_changes
        Changed files that a turn names.
    change_text_bytes
        Text of one side of a changed file that is sent to be shown.
    changes_text_bytes
        All such text of one answer.
    patch_bytes
        Longest patch of a turn.
    written_text_bytes
        Text of a file that an agent writes through us, for its diff.
    terminals
        Terminals that a session's agent may hold at once.
    terminal_bytes
        Newest output of a terminal that is kept for the agent, if it names no smaller limit.
    terminal_log_bytes
        Output of a terminal that is written to the log and shown as it comes.
    terminal_tail_bytes
        Its newest output that is added at the end, if there was more than that.
    terminal_note_bytes
        Output that is written to the log without waiting for more.
    terminal_note_seconds
        How long less than that waits.
    terminal_seconds
        How long a command may run in a terminal.
    """

    line_bytes: int = 16 * _MIB
    noise_notes: int = 100
    noise_chars: int = 500
    unsent_bytes: int = 64 * _MIB
    open_requests: int = 1000
    stderr_lines: int = 200
    stderr_line_chars: int = 2000
    spawn_seconds: float = 15.0
    initialize_seconds: float = 60.0
    session_new_seconds: float = 60.0
    authenticate_seconds: float = 900.0
    login_terminal_seconds: float = 3600.0
    download_seconds: float = 600.0
    request_seconds: float = 30.0
    send_seconds: float = 30.0
    cancel_grace_seconds: float = 10.0
    death_poll_seconds: float = 0.1
    stdin_eof_seconds: float = 2.0
    term_seconds: float = 1.0
    stable_seconds: float = 60.0
    free_restarts: int = 3
    restart_seconds: float = 1.0
    longest_restart_seconds: float = 30.0
    idle_seconds: float = 1800.0
    silent_seconds: float = 30.0
    heartbeat_seconds: float = 10.0
    listed_sessions: int = 1000
    woken_sessions: int = 10
    replay_quiet_seconds: float = 0.25
    replay_seconds: float = 10.0
    file_bytes: int = 10 * _MIB
    queued_bytes: int = 64 * _MIB
    unwritten_bytes: int = 16 * _MIB
    traffic_log_bytes: int = 256 * _MIB
    stop_seconds: float = 0.7
    late_text_seconds: float = 0.1
    ring_events: int = 5000
    ring_bytes: int = _MIB
    spill_bytes: int = 2048 * _MIB
    window_items: int = 200
    window_chars: int = 8_000_000
    window_turns: int = 200
    queued_prompts: int = 100
    prompt_blocks: int = 200
    prompt_bytes: int = 24 * _MIB
    sessions: int = 200
    packet_streams: int = 32
    packet_pause_seconds: float = 0.033
    ping_seconds: float = 15.0
    import_bytes: int = 200 * _MIB
    import_lines: int = 1_000_000
    import_problems: int = 200
    scan_files: int = 20_000
    scan_seconds: float = 2.0
    scan_hold_seconds: float = 0.8
    shown_artifacts: int = 20
    changed_file_bytes: int = _MIB
    changed_bytes: int = 16 * _MIB
    recording_bytes: int = 64 * _MIB
    checkpoint_files: int = 20_000
    checkpoint_bytes: int = 512 * _MIB
    checkpoint_file_bytes: int = 10 * _MIB
    checkpoint_seconds: float = 5.0
    checkpoint_store_bytes: int = 2048 * _MIB
    listed_changes: int = 200
    change_text_bytes: int = _MIB
    changes_text_bytes: int = 8 * _MIB
    patch_bytes: int = 16 * _MIB
    written_text_bytes: int = 256 * 1024
    terminals: int = 64
    terminal_bytes: int = _MIB
    terminal_log_bytes: int = 4 * _MIB
    terminal_tail_bytes: int = 64 * 1024
    terminal_note_bytes: int = 8 * 1024
    terminal_note_seconds: float = 0.05
    terminal_seconds: float = 4 * 3600.0
