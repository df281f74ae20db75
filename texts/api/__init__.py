"""Endpoints of texts."""
