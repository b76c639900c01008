"""An agent that runs elsewhere: ACP over WebSocket or HTTP, as a program on stdio.

To the host it is a process like any other agent's, with the same log, limits and permissions. It
connects on ``initialize``, reconnects when the connection is lost, and gets what it missed of a
turn by ``session/load``.
"""
