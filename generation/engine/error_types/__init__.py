"""The error types: one module each, with its proposals, its prompt words, and its text."""
