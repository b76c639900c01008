"""The immutable values that a transcript is made of.

Views get items, turns and the session's state, also as JSON. `state` holds one session for the
reducer; `packed` and `spilling` decide what of it stays in memory.
`acp_jupyter.transcript.reduce.reducer` makes and changes these values.
"""
