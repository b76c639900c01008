"""A session's traffic as a numbered stream of packets, for programs outside."""
