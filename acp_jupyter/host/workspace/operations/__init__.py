"""Operations on a folder: what turns changed is taken back or kept; all of it, or nothing.

Each is written down before its first file, and its log entries are on disk before it is answered.
What a server that was killed has left is taken back, or told in the log, by the next one.
"""
