"""Execution of code for an agent's tools, on this kernel's main thread, and its outputs."""
