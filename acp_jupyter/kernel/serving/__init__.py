"""Agents that run in this kernel, for its notebook only.

`serve` is the public name. Only this package of the kernel imports the protocol's SDK.
"""
