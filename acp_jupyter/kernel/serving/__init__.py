"""Agents that run in this kernel, and answer in its notebook alone.

`serve` is the public name. The protocol's SDK is imported here, and nowhere else in the kernel.
"""
