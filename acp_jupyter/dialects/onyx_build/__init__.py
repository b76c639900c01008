"""Onyx build mode: its packets, converters from ours to them, and a session as a stream of them.

The way back is `acp_jupyter.protocol.parse.packet.parse_packet`, which reads build mode too.
"""
