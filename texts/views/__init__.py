"""Pages of texts."""
