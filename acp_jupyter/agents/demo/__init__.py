"""A real ACP agent without a model, so that everything works on a fresh machine.

Run it with ``python -m acp_jupyter.agents.demo``. The prompt chooses what it does; the keyword
that comes first wins (names of files and quoted words do not count):

==================================  ===============================================================
``list``, ``explore``, ``read``,    lists the folder, reads one or two text files, answers in
``explain``, "what is in …"         Markdown with a table and a code block
``edit``, ``fix``, ``add``,         sets a plan, reads the file, proposes an edit as a diff, asks,
``clean``, "make … faster"          writes only when allowed
``create``, ``write`` and a name    the same for a new file
"look at NAME"                      says what a variable of the notebook's kernel is (this and the
                                    next four by the notebook tools, where the session has them)
"query NAME: SQL"                   lists the tables of the kernel, then asks one or a connection
"plot NAME"                         adds a cell below the asking one and runs it
``fix`` and no file                 mends the last failing cell and runs it again
"edit the notebook"                 edits one cell of the open notebook
``run``, ``test``                   asks, runs a harmless command, shows output and exit code
``markdown``, ``formula``             a formula, a table, code and a diagram
``delegate``, ``subagent``          starts a subagent that explores and asks for a command
``slow``, ``long``                  a long Markdown answer with thoughts
``bench N=5000 size=20 rate=0``     exactly N chunks of that size, the last line is ``END``
``plan``                            a plan, ticked off
"ask twice"                         two permission requests at once
``crash``, ``refuse``,              how turns fail: exit code 3, stop reasons ``refusal`` and
"max tokens", ``error``             ``max_tokens``, a JSON-RPC error
==================================  ===============================================================

Anything else gets a short answer that names these. ``rate=…`` in a prompt, the environment variable
``ACP_DEMO_RATE`` (chunks per second, 0 is flat out) and the config option ``speed`` set the pace.

The wire is plain JSON written here, not the ACP SDK: importing the SDK takes longer than all the
rest of the start-up, and the agent must be able to flood a client as fast as a pipe allows. The
tests hold what it sends against the SDK's models.
"""
