"""One file per extractor, with an `EXTRACTOR`."""
