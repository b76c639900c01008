"""Questions of agents that wait for an answer."""
