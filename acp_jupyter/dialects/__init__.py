"""Dialects: other formats of conversations with agents, read and written.

- `onyx`: Onyx packets, their event stream, and build mode. Parsing Onyx packets is
  `acp_jupyter.protocol.parse`'s: it reads every spelling alike.
- `claude_reader`: the Claude CLI's stream-json as ACP updates. The adapter in
  `acp_jupyter.agents.claude_cli` reads the live CLI with it, and the import a pasted log, so that
  both give the same transcript.
- `import_log`: makes a session from a log of any of these, or of ACP traffic. `acp_jupyter.api`
  reads the file, and `acp_jupyter.host` stores the session.

They import `acp_jupyter.protocol`, which imports none of them.
"""
