"""Nothing is shared: the tests have a server of their own."""
