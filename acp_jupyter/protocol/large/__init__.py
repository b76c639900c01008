"""Large messages: long lines are parsed in steps, and messages are cut to a bounded size."""
