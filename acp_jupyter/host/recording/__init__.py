"""Recordings of sessions: their file, the scrubber, the recorder and the playback.

`acp_jupyter.host.recordings` knows which sessions of a host are recorded.
`acp_jupyter.agents.replay` is the agent that plays a recording.
"""
