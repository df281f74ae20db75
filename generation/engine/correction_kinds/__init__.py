"""The kinds of correction: one module each, with its decisions, its prompt words and its text."""
