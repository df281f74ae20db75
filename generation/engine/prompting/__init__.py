"""Render the prompts of text models from what the plan knows; pure, and versioned by file."""
