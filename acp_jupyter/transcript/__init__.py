"""The transcript: what a session's log says, as items, turns and state, ready to draw.

- `model`: the items, the session's state, the events that tell a view of changes, and how a long
  session is held in memory.
- `reduce`: takes one packet of the log into a transcript. `reduce.reducer` is the way in.
- `permissions`: what a tool call is proven to do, and rules as people write them. No file is looked
  at here; policies and decisions are the host's.
- `redactor`: takes secrets and paths of this machine out of texts, by `secret_patterns`.
- `safe_text`: texts of agents, escaped so that Markdown around them stays whole.
- `output`: a turn or a session as a saved MIME bundle, Markdown, plain text or an HTML page.

Everything is pure: no clock, no files, no processes, no event loop.
"""
