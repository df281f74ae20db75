"""Applying edits to a recording, by copying packets if possible."""
