"""Recording the sessions of a notebook, and playing them again without agents."""
