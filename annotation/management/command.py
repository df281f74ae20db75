"""What every command of PIE-V is: it begins in half the time of Django's own."""

from django.core.checks import Tags
from django.core.checks.registry import registry
from django.core.management.base import BaseCommand


class CommandWithoutPages(BaseCommand):
    """Looks over the whole installation before it begins, but no addresses.

    For these all pages would be loaded, a second of work, and `serve` and the sweeper would keep
    them. `manage.py check` looks them over.
    """

    requires_system_checks = sorted(registry.tags_available() - {Tags.urls})
