"""Notes: the host's own lines, marked ``!``, in a session's traffic log.

The protocol has no messages for queues, for the cell that a prompt came from, or for a process that
died. The host writes notes between the protocol's lines, so that the transcript depends on the log
alone. To add a note, write a class here, add it to the union in `notes`, and read it in
`acp_jupyter.transcript`.
"""
