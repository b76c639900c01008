"""Logging in to agents, and out again.

By the protocol (``authenticate``, ``logout``) or in a terminal. How an agent says that it needs
a login is read in `acp_jupyter.host.rpc.handshake`; the terminal of the page is the server's.
"""
