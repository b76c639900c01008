"""A prompt turn: from Python, and as a cell's output with its widget and questions."""
