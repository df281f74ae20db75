"""Serve the assessor: other programs ask it over A2A to have an agent answer an item set."""

from argparse import ArgumentParser
from typing import Any

from annotation.management.command import CommandWithoutPages
from annotation.selectors.records.status import installed_version
from benchmarks.management.serving import add_address, require_extra, serve


class Command(CommandWithoutPages):
    """A process of its own beside the site; workers answer, it only queues and tells."""

    help = "Serve the assessor, which has agents answer item sets (protocol A2A, 1.0 and 0.3)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_address(parser, port=9009)

    def handle(self, *args: Any, **options: Any) -> None:
        require_extra()
        # Only this process needs them, and they need the extra.
        from benchmarks.backends.a2a.assessor import assessor_app, assessor_card  # noqa: PLC0415
        from benchmarks.management.assessor import StoredSite  # noqa: PLC0415

        def app_at(url: str) -> Any:
            return assessor_app(
                assessor_card(url=url, version=installed_version() or "0"), StoredSite()
            )

        serve(app_at, options, self.stdout.write)
