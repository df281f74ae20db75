"""What is computed of verdicts, without the database."""
