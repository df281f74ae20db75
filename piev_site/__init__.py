"""Wiring only: settings, addresses, queue. Apps never import this package."""

from piev_site.celery import app as celery_app

__all__ = ["celery_app"]
