"""How agents reach the notebook tools: an MCP server that each session's agent starts.

Importing this imports nothing of the MCP SDK.
"""
