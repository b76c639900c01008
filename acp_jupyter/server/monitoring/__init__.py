"""What sessions do, for those who run a server: counters and traces, from the events of all."""
