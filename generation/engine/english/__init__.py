"""English as steps are written, read once for the writer and the judge: words, forms, lists."""
