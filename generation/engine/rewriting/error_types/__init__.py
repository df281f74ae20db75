"""Words that take long to find; the error types themselves stand in `engine/error_types`."""
