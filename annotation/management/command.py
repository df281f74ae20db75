"""The base of PIE-V's commands, which start in half the time of Django's own."""

from django.core.checks import Tags
from django.core.checks.registry import registry
from django.core.management.base import BaseCommand


class CommandWithoutPages(BaseCommand):
    """Checks the installation before it starts, all but its addresses.

    Checking those loads every page, which takes a second, and `serve` and the sweeper would keep
    the pages in memory. `manage.py check` does it.
    """

    requires_system_checks = sorted(registry.tags_available() - {Tags.urls})
