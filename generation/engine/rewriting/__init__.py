"""Write a plan out by rules: what each step says once its mistake has happened."""
