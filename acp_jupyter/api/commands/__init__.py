"""The handlers of commands, by noun. The table is `command_table`, their models are in `models`."""
