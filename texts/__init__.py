"""Rounds in which people read short texts about a recording and say what they think of each."""
