"""What ``claude -p --output-format stream-json`` says, in the protocol's words."""
