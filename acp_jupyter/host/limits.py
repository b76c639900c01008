"""The host's limits that a setting or a test changes; each other one is beside what it bounds."""

from __future__ import annotations

from dataclasses import dataclass

_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes, counts and timeouts of a host."""

    line_bytes: int = 5 * _MIB
    """Longest line that an agent may write; a longer one is dropped and noted. So an agent writes
    files of almost 5 MiB with ``fs/write_text_file``."""
    noise_notes: int = 100
    """Lines without a protocol message that are kept for each connection."""
    unsent_bytes: int = 64 * _MIB
    """Bytes that may wait for an agent that does not read its stdin."""
    open_requests: int = 1000
    """Requests of an agent that may wait for an answer at once; more get an error."""
    spawn_seconds: float = 15.0
    """Timeout for the start of a process."""
    initialize_seconds: float = 60.0
    """Timeout for the answer to ``initialize``."""
    session_new_seconds: float = 60.0
    """Timeout for the answer to ``session/new``."""
    authenticate_seconds: float = 900.0
    """Timeout for a login that the agent runs itself, in the user's browser."""
    steer_seconds: float = 10.0
    """Timeout for the answer to a message that is put into a running turn."""
    request_seconds: float = 30.0
    """Timeout for requests that a click of the user starts: mode, configuration."""
    send_seconds: float = 30.0
    """Time in which an agent must read at least one byte; then it counts as dead."""
    cancel_grace_seconds: float = 10.0
    """Time from ``session/cancel`` to the answer of the prompt."""
    stdin_eof_seconds: float = 2.0
    """Time from the end of stdin to SIGTERM."""
    term_seconds: float = 1.0
    """Time from SIGTERM to SIGKILL."""
    free_restarts: int = 3
    """Crashes of an agent before its next start is delayed."""
    restart_seconds: float = 1.0
    """First delay of a start; each next one is twice as long."""
    longest_restart_seconds: float = 30.0
    """Longest delay of a start."""
    idle_seconds: float = 1800.0
    """Time without a turn after which a session that can be resumed leaves its agent."""
    silent_seconds: float = 30.0
    """Time without a line from a working agent after which the page shows a notice."""
    heartbeat_seconds: float = 10.0
    """Interval of the heartbeat for other servers that share the data folder."""
    replay_quiet_seconds: float = 0.25
    """Time without a line after which the replay of a loaded session counts as complete."""
    file_bytes: int = 10 * _MIB
    """Largest file that ``fs/*`` reads or writes; the line of a write has a limit of its own."""
    notebook_bytes: int = 200 * _MIB
    """Largest notebook on disk that the notebook tools read or change."""
    queued_bytes: int = 64 * _MIB
    """Lines of a session's log that wait in memory while the disk does not answer (approximate).
    Thirteen of the longest: a disk that is only slow loses none."""
    unwritten_bytes: int = 16 * _MIB
    """Lines of a session's log that wait in memory while writing fails."""
    traffic_log_bytes: int = 256 * _MIB
    """Largest traffic log of a session."""
    resume_bytes: int = 256 * 1024
    """Growth of a session's log after which its state is saved beside it."""
    stop_seconds: float = 0.7
    """Time from a stop to the turn's end, whether or not the agent has answered."""
    late_text_seconds: float = 0.1
    """Time that the end of a turn waits for text that some agents send after it."""
    rest_seconds: float = 60.0
    """Time without a line after which a session without a turn is put out of memory."""
    prompt_blocks: int = 200
    """Parts of one prompt: text, images, files."""
    prompt_bytes: int = 24 * _MIB
    """Size of one prompt with its attachments; base64 counts as encoded."""
    sessions: int = 200
    """Sessions that may be open at once."""
    packet_streams: int = 32
    """Packet streams over HTTP that may be open at once."""
    ping_seconds: float = 15.0
    """Interval of pings in a silent stream."""
    imports: int = 4
    """Logs that are imported at once."""
    import_lines: int = 1_000_000
    """Lines that an imported session may have."""
    import_problems: int = 200
    """Problems of an imported log that are listed one by one."""
    scan_files: int = 20_000
    """Files and folders that a scan for a turn's changes may visit."""
    scan_seconds: float = 2.0
    """Timeout for one scan."""
    scan_hold_seconds: float = 0.8
    """Time that the end of a turn waits for the second scan."""
    changed_file_bytes: int = _MIB
    """Largest file whose content is kept in a saved output."""
    changed_bytes: int = 16 * _MIB
    """Size of all such files of one turn."""
    recording_bytes: int = 64 * _MIB
    """Largest recording of a session."""
    checkpoint_files: int = 20_000
    """Files of a checkpoint."""
    checkpoint_bytes: int = 512 * _MIB
    """Size of all files that are new or changed since the last checkpoint."""
    checkpoint_file_bytes: int = 10 * _MIB
    """Largest file in a checkpoint."""
    checkpoint_seconds: float = 5.0
    """Timeout for one checkpoint."""
    checkpoint_store_bytes: int = 2048 * _MIB
    """Size of all checkpoints of one folder; beyond it the oldest are deleted."""
    copy_bytes: int = 2048 * _MIB
    """Size of a copy of a folder, where the file system can't share files with it."""
    variants: int = 8
    """Variants of one prompt."""
    listed_changes: int = 200
    """Changed files that are listed for a turn."""
    terminals: int = 64
    """Terminals that a session's agent may hold at once."""
    terminal_log_bytes: int = 4 * _MIB
    """Output of a terminal that is logged and shown as it comes."""
    terminal_tail_bytes: int = 64 * 1024
    """Newest output that is added at the end if there was more."""
    terminal_seconds: float = 4 * 3600.0
    """Longest time that a command may run in a terminal."""
