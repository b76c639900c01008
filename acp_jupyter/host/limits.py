"""The host's limits: sizes, counts and timeouts, each with its unit in its name."""

from __future__ import annotations

from dataclasses import dataclass

_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes, counts and timeouts of a host.

    Attributes
    ----------
    line_bytes
        Longest line that an agent may write; a longer one is dropped and noted. A file of
        ``file_bytes`` fits, and so does a picture of 10 MB.
    noise_notes
        Lines without a protocol message that are kept for each connection.
    noise_chars
        Characters of each such line that are kept.
    unsent_bytes
        Bytes that may wait for an agent that does not read its stdin.
    open_requests
        Requests of an agent that may wait for an answer at once; more get an error.
    stderr_lines
        Newest lines of stderr that are kept to be shown.
    stderr_line_chars
        Longest line of stderr that is kept.
    spawn_seconds
        Timeout for the start of a process.
    initialize_seconds
        Timeout for the answer to ``initialize``.
    session_new_seconds
        Timeout for the answer to ``session/new``.
    authenticate_seconds
        Timeout for a login that the agent runs itself, in the user's browser.
    login_terminal_seconds
        Timeout for a login in a terminal.
    download_seconds
        Timeout for ``initialize`` if the agent's package must be downloaded first.
    steer_seconds
        Timeout for the answer to a message that is put into a running turn.
    request_seconds
        Timeout for requests that a click of the user starts: mode, configuration.
    send_seconds
        Time in which an agent must read at least one byte; then it counts as dead.
    cancel_grace_seconds
        Time from ``session/cancel`` to the answer of the prompt.
    death_poll_seconds
        Interval of polling the process table where the system reports no exits.
    stdin_eof_seconds
        Time from the end of stdin to SIGTERM.
    term_seconds
        Time from SIGTERM to SIGKILL.
    stable_seconds
        Time that an agent must run until its earlier crashes no longer count.
    free_restarts
        Crashes of an agent before its next start is delayed.
    restart_seconds
        First delay of a start; each next one is twice as long.
    longest_restart_seconds
        Longest delay of a start.
    idle_seconds
        Time without a turn after which a session that can be resumed leaves its agent.
    heartbeat_seconds
        Interval of the heartbeat for other servers that share the data folder.
    listed_sessions
        Newest ended sessions that are listed.
    woken_sessions
        Newest ended sessions that are opened together with their notebook.
    silent_seconds
        Time without a line from a working agent after which the page shows a notice.
    replay_quiet_seconds
        Time without a line after which the replay of a loaded session counts as complete.
    replay_seconds
        Longest time that a replay may go on after the answer.
    file_bytes
        Largest file that ``fs/*`` reads or writes.
    notebook_bytes
        Largest notebook on disk that the notebook tools read or change.
    queued_bytes
        Lines of a session's log that wait in memory while the disk does not answer
        (approximate). Four of the longest: a disk that is only slow loses none.
    unwritten_bytes
        Lines of a session's log that wait in memory while writing fails.
    traffic_log_bytes
        Largest traffic log of a session.
    resume_bytes
        Growth of a session's log after which its state is saved beside it.
    stop_seconds
        Time from a stop to the turn's end, whether or not the agent has answered.
    late_text_seconds
        Time that the end of a turn waits for text that some agents send after it.
    ring_events
        Events kept for readers that resume.
    ring_bytes
        Size of those events (approximate).
    rest_seconds
        Time without a line after which a session without a turn is put out of memory.
    spill_bytes
        Size of a session's spill file, which holds older items in place of memory.
    window_items
        Newest items in a snapshot.
    window_chars
        Text of those items; only a single item may be longer.
    window_turns
        Newest turns in a snapshot.
    queued_prompts
        Prompts that may wait in one session.
    prompt_blocks
        Parts of one prompt: text, images, files.
    prompt_bytes
        Size of one prompt with its attachments; base64 counts as encoded.
    sessions
        Sessions that may be open at once.
    packet_streams
        Packet streams over HTTP that may be open at once.
    packet_pause_seconds
        Pause between two reads for one packet stream.
    ping_seconds
        Interval of pings in a silent stream.
    imports
        Logs that are imported at once.
    import_bytes
        Largest log that is imported.
    import_lines
        Lines that an imported session may have.
    import_problems
        Problems of an imported log that are listed one by one.
    told_chars
        Characters of an earlier conversation that an agent is told which does not remember it;
        the oldest turns are left out.
    scan_files
        Files and folders that a scan for a turn's changes may visit.
    scan_seconds
        Timeout for one scan.
    scan_hold_seconds
        Time that the end of a turn waits for the second scan.
    shown_artifacts
        New files of a turn that are shown as artifacts.
    changed_file_bytes
        Largest file whose content is kept in a saved output.
    changed_bytes
        Size of all such files of one turn.
    recording_bytes
        Largest recording of a session.
    checkpoint_files
        Files of a checkpoint.
    checkpoint_bytes
        Size of all files that are new or changed since the last checkpoint.
    checkpoint_file_bytes
        Largest file in a checkpoint.
    checkpoint_seconds
        Timeout for one checkpoint.
    checkpoint_store_bytes
        Size of all checkpoints of one folder; beyond it the oldest are deleted.
    copy_bytes
        Size of a copy of a folder, where the file system can't share files with it.
    variants
        Variants of one prompt.
    variables_bytes
        Variables of a kernel that variants get copies of.
    variables_seconds
        Timeout for making these copies, and again for reading them.
    rerun_seconds
        Timeout for running cells again in a variant's kernel.
    listed_changes
        Changed files that are listed for a turn.
    change_text_bytes
        Text of one side of a changed file that is sent to the page.
    changes_text_bytes
        All text of changed files in one answer.
    patch_bytes
        Longest patch of a turn.
    written_text_bytes
        Longest text written with ``fs/write_text_file`` that gets a diff.
    terminals
        Terminals that a session's agent may hold at once.
    terminal_bytes
        Newest output of a terminal that is kept for the agent, unless it sets a smaller limit.
    terminal_log_bytes
        Output of a terminal that is logged and shown as it comes.
    terminal_tail_bytes
        Newest output that is added at the end if there was more.
    terminal_note_bytes
        Size from which output is logged at once.
    terminal_note_seconds
        Time that less output waits for more.
    terminal_seconds
        Longest time that a command may run in a terminal.
    """

    line_bytes: int = 5 * _MIB
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
    steer_seconds: float = 10.0
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
    notebook_bytes: int = 200 * _MIB
    queued_bytes: int = 64 * _MIB
    unwritten_bytes: int = 16 * _MIB
    traffic_log_bytes: int = 256 * _MIB
    resume_bytes: int = 256 * 1024
    stop_seconds: float = 0.7
    late_text_seconds: float = 0.1
    ring_events: int = 5000
    ring_bytes: int = _MIB
    rest_seconds: float = 60.0
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
    imports: int = 4
    import_bytes: int = 200 * _MIB
    import_lines: int = 1_000_000
    import_problems: int = 200
    told_chars: int = 100_000
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
    copy_bytes: int = 2048 * _MIB
    variants: int = 8
    variables_bytes: int = 512 * _MIB
    variables_seconds: float = 30.0
    rerun_seconds: float = 600.0
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
