"""Forms of the pages of texts."""
