"""The history of a notebook, and going back to before one of its turns."""
