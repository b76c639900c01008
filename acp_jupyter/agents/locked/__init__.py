"""Starts an agent of the public registry, after checking its packages against a lock."""
