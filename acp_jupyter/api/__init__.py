"""What a page, a kernel or an HTTP client may ask of the host, and how it is told what happens.

`models` are the messages and the table of commands, which kernels import without a host; `commands`
carries them out. No web framework and no widgets: those are in `server` and `kernel`.
"""
