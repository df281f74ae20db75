"""Text models behind one interface; one file per model in `adapters/`."""
