"""Logging in to agents, and out again.

A login runs over the protocol (``authenticate``, ``logout``) or in a terminal.
`acp_jupyter.host.rpc.handshake` recognises that an agent needs a login; the server opens the
page's terminal.
"""
