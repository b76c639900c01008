"""Notes: what the host itself writes into a session's traffic log, as ``!`` lines.

The protocol says nothing of queues, of the cell a prompt came from or of a process that died.
Written between the protocol's own lines, notes keep the transcript a function of the log alone.
A new note is a class here, a member of the union in `notes`, and read in `acp_jupyter.transcript`.
Writing them is the host's; nothing here does.
"""
