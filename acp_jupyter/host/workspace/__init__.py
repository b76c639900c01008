"""The session's folder: files for agents, terminals, checkpoints and changes.

`acp_jupyter.host.requests` decides about permissions; the handlers of ``fs/`` and ``terminal/``
are in `acp_jupyter.host.rpc`.
"""
