"""The tools that an agent is offered for the notebook it works in."""
