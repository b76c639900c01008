"""The values that a transcript is made of; they never change.

Items, turns and the session's state are what views get, as JSON too. `state` holds all of one
session for the reducer; `packed` and `spilling` say what of it stays in memory. What makes and
changes these values is `acp_jupyter.transcript.reduce.reducer`'s.
"""
