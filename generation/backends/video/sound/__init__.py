"""The sound of a spliced recording: which packets are copied, and how the others are made."""
