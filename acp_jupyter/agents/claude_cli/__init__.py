"""The Claude CLI as an agent of the protocol.

Run it with ``python -m acp_jupyter.agents.claude_cli``. Each session is one ``claude -p`` child,
started by the first prompt, that stays for the next ones and speaks stream-json. What it writes
is read by `acp_jupyter.dialects.claude_reader`; here are its process, its permissions and
what the client may ask of it.

The program is ``$CLAUDE_CLI_PATH``, or ``claude`` on the ``PATH``.
"""
