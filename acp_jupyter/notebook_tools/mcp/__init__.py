"""The MCP server of the notebook tools, which each session's agent starts as a relay.

Importing this package does not import the MCP SDK.
"""
