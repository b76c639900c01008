"""Commands that agents have the host run."""
