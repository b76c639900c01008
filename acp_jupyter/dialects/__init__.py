"""Dialects: other ways to write a conversation with an agent down, read and written.

- `onyx`: Onyx packets, their event stream, and build mode. Parsing Onyx packets is
  `acp_jupyter.protocol.parse`'s: it reads every spelling alike.
- `claude_reader`: the Claude CLI's stream-json as ACP updates. The adapter in
  `acp_jupyter.agents.claude_cli` reads the live CLI with it, and the import a pasted log, so that
  both give the same transcript.
- `import_log`: makes a session of a log of any of these, or of ACP traffic. Reading the file and
  storing the session are `acp_jupyter.host`'s.

They stand on `acp_jupyter.protocol`, and nothing of it imports them.
"""
