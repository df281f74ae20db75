"""Edits are carried out on a recording, by packets where that is possible."""
