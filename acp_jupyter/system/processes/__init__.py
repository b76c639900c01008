"""Child processes that end with this process, and the pipes to them.

A supervisor starts each of them and ends all that it started. On POSIX systems the supervisor is
``supervise.py``; the portable one is ``supervise_portable.py``.
"""
