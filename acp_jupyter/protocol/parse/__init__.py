"""Parses packets: one object of any dialect in, one packet out; never raises, loses nothing.

Each module parses one kind of packet; `packet` knows all of them and is the entry point. The texts
shown for a tool call are decided in `acp_jupyter.protocol.tools`.
"""
