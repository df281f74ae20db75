"""Questions about the steps of recordings: what they are of, how they are written, checked."""
