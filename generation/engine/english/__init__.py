"""Reading the English of steps, for writer and judge: words, forms, clauses, word lists."""
