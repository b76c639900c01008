"""What a page, a kernel or an HTTP client may ask of the host, and how it is told what happens.

`command_table` has one row for each command. `models` are the messages, which kernels import with
the table and without a host; `commands` carries them out. No web framework and no widgets: those
are in `server` and `kernel`.
"""
