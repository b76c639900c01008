"""Differences between operating systems: locks, folders held open, private sockets."""
