"""Operations on a folder: revert or keep the changes of turns, completely or not at all.

Each is recorded before its first file is written, and answered after its log entries are on disk.
If a server is killed meanwhile, the next one undoes the operation or completes its log entries.
"""
