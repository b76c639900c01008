"""Recordings: sessions that are recorded, and sessions that are played from one.

The file of a recording, what is taken out of it, and its writer and player. Which sessions of a
host are recorded: `acp_jupyter.host.recordings`. The agent that plays one:
`acp_jupyter.agents.replay`.
"""
