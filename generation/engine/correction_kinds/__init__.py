"""The kinds of correction: one module each, with all that is decided, said and written of it."""
