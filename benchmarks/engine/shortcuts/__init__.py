"""Whether the items of a set can be guessed without a picture, and by what."""
