"""What is read of rounds of texts."""
