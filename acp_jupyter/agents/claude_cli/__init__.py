"""The Claude CLI as an ACP agent.

Run it with ``python -m acp_jupyter.agents.claude_cli``. Each session is one ``claude -p`` child
process, which the first prompt starts and later prompts reuse; it speaks stream-json.
`acp_jupyter.dialects.claude_reader` parses its output; this package has its process, its
permissions, and the requests of the client.

The program is ``$CLAUDE_CLI_PATH``, or ``claude`` on the ``PATH``.
"""
