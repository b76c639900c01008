"""Onyx packets: writing them, their event stream, and the functions on raw packets that Onyx names.

The modules `build_*` are about the packets of Onyx's build mode.

They are parsed by `acp_jupyter.protocol.parse`, like those of every other dialect.
"""
