"""Folders as they were, kept by git outside of them; shown, and given back."""
