"""The session's folder: files that agents read and write, terminals, checkpoints and changes.

Who may do what with them is decided in `acp_jupyter.host.rpc.open_requests`; the protocol's
methods ``fs/`` and ``terminal/`` are in `acp_jupyter.host.rpc`.
"""
