"""Write the texts of a plan by rules: what each step says once its mistake has happened."""
