"""Dialects: other ways to write a conversation with an agent down, read and written.

`onyx` (Onyx packets, their event stream, and build mode), `claude_stream` (the Claude CLI's
stream-json), and the import of a log: `import_log` makes a session of a log of any of these, or of
ACP traffic; reading the file and storing the session are the host's. Dialects stand on
`acp_jupyter.protocol`, and nothing of it imports them. Parsing Onyx packets is
`acp_jupyter.protocol.parse`'s: it reads every spelling alike.
"""
