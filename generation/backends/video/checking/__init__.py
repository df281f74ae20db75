"""Written files are verified before they are published."""
