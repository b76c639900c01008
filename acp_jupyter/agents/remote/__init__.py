"""An agent that runs elsewhere: ACP over WebSocket or HTTP, as a program on stdio.

For the host it is a process like any other agent's, with the same log, limits and permissions. It
connects when ``initialize`` comes, connects again when the connection is lost, and fetches with
``session/load`` what the agent sent of a turn meanwhile.
"""
