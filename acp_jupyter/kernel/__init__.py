"""The kernel's side: the magics, `Session` and `Turn`, the widgets, and code that tools run here.

This package is a client of a host, which runs in the Jupyter server or in this process. It does
not import Jupyter's server package, and widgets only when one is shown.
"""
