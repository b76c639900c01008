"""The transcript: what a session's log says, as items, turns and state, ready to draw.

- `model`: the items, the session's state, the events that tell a view of changes, and how a long
  session is held in memory.
- `reduce`: takes one packet of the log into a transcript. `reduce.reducer` is the way in.
- `permission_evidence`, `raw_input`: what a tool call is proven to do. `rule_text`: rules as people
  write them. No file is looked at here; policies and decisions are the host's.
- `redactor`: takes secrets and paths of this machine out of texts, by `secret_patterns`.
- `escaping`, `closed_markdown`, `closed_inline`, `glued_fences`: texts of agents, written so that
  they neither act nor change what stands around them. `escaping` needs the standard library only.
  The others need markdown-it-py, which a kernel without a server may lack, and are imported when
  they are used.
- `output`: a turn or a session as a saved MIME bundle, Markdown, plain text or an HTML page.

Everything is pure: no clock, no files, no processes, no event loop.
"""
