"""Clips are made, looked into when uploaded, and stored in the form of their recording."""
