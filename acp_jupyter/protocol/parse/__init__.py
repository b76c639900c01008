"""Parsing: one object of any dialect in, one packet out. Total: never raises, loses nothing.

Each module reads the packets of one kind; `packet` knows all of them and is where parsing begins.
The words shown for a tool call are decided in `acp_jupyter.protocol.tools`, not here.
"""
