"""Lists of slips, one module per domain; `lexicon.slips` says how they are written."""
