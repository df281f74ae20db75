"""Render the prompts of text models from a plan; pure, and versioned by file."""
