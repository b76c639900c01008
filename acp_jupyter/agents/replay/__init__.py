"""An ACP agent that plays the agent's side of a recorded log.

Run it with ``python -m acp_jupyter.agents.replay LOG [--speed 1|10|flat] [--apply-files]
[--run-commands]``. The log may be of any form that
`acp_jupyter.protocol.log` reads. A bug in a log runs again with ``--speed flat``;
a demonstration is a log that is played at its own pace.

What the client asks is answered as it was recorded, prompts only if they are the recorded ones.
The agent waits where the recorded one waited, for permissions and files. When the user answers
differently than then, the rest can't be played, and the turn says so.

What the agent changed by its own tools is changed again with ``--apply-files``: the client is asked
for each change that it has not allowed in the same turn. No file is overwritten that is not as it
was.

A log may come from anyone, so the commands in it are not run: what they put out is shown as
recorded. With ``--run-commands`` the client is asked for them again, as the agent had.
"""
