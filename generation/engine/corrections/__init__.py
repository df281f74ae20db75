"""Who notices a planned mistake, and what is done about it; one file per kind in `kinds/`."""
