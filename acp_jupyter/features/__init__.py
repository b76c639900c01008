"""What the core works without: each feature is a folder here."""
