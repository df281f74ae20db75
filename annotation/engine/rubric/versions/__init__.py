"""The versions of the rubric: a module each, with the `RUBRIC` and beside it the words (TOML)."""
