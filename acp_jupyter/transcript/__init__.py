"""The transcript: what a session's log says, as items, turns and state, ready to draw.

- `model`: the items, the session's state, the events that report changes to a view, and the memory
  of a long session.
- `reduce`: takes one packet of the log into a transcript. `reduce.reducer` is the way in.
- `view`: a turn as its readers see it, from its items and events.
- `permission_evidence`, `raw_input`: what a tool call certainly does. `rule_text`: rules as people
  write them. These read no files; the host has the policies and decides.
- `redactor`: removes secrets and paths of this machine from texts, with `secret_patterns`.
- `escaping`, `closed_markdown`, `closed_inline`, `glued_fences`: rewrite agents' texts so that
  they neither act nor change the text around them. `escaping` needs only the standard library.
  The others need markdown-it-py, which a kernel without a server may lack, and are imported when
  they are used.
- `output`: a turn or a session as a saved MIME bundle, Markdown, plain text or an HTML page.

Everything is pure: no clock, no files, no processes, no event loop.
"""
