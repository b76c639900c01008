"""The kernel's side: the magics, `Session` and `Turn`, the widgets, and code that tools run here.

A host, in the Jupyter server or in this process, does the work; this package is one of its clients.
The package of the Jupyter server is not imported here, nor are widgets before one is shown.
"""
