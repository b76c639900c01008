"""Sessions from Python: `connect`, `Session`, their settings, and files that go with a prompt."""
