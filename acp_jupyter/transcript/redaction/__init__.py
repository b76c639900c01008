"""Takes secrets, and paths of this machine, out of what is written down, saved or exported.

`secret_patterns` is the table of what looks like a secret; `redactor` replaces it. Which texts go
through it is decided by those who write them.
"""
