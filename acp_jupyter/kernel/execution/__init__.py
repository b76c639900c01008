"""Code that an agent's tools run in this kernel, on its main thread, and its outputs."""
