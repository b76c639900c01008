"""What carries out the commands, by noun. Their models are in `acp_jupyter.api.models`."""
