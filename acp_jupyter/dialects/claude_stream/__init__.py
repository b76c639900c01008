"""The Claude CLI's stream-json (``claude -p --output-format stream-json``), read as ACP updates.

The adapter in `acp_jupyter.agents.claude_cli` reads the live CLI with it, and the import a pasted
log, so that both give the same transcript. Running the CLI is the adapter's.
"""
