"""`manage.py demo`: a site with sample data."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError

from annotation.management.command import CommandWithoutPages
from annotation.management.commands.serve import LOCALHOST, listening_socket
from annotation.models import Dataset, Take
from generation.engine.planner.profiles import PIEV
from generation.engine.run_options import RunOptions
from generation.engine.stages import Stage
from generation.models import Run
from generation.services.runs import RunRequest, create_run
from sample.questions import QUESTION_SET
from sample.site import (
    ACCOUNTS,
    OPEN_CAMPAIGN,
    PASSWORD,
    PROTOCOL_CAMPAIGN,
    RATED_CAMPAIGN,
    SEGMENT_CAMPAIGN,
    make_sample_site,
)

RUN_NAME = "Everyday procedures with mistakes"
# Its plans have at least three mistakes of every type, and corrections of four kinds.
SEED = 79


class Command(CommandWithoutPages):
    help = "Create the sample corpus, its videos, demo accounts, campaigns, questions and a run."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--force", action="store_true", help="also on the database that DATABASE_URL names"
        )
        parser.add_argument("--serve", type=int, metavar="PORT", help="then serve it on this port")

    def handle(self, *args: Any, force: bool, serve: int | None, **options: Any) -> None:
        if settings.DATABASE_URL and not force:
            raise CommandError(
                "DATABASE_URL is set, so others may use this site. The demo accounts"
                " have a password that everybody knows; add --force to create them"
                " anyway."
            )
        if serve is not None:
            listening_socket(LOCALHOST, serve).close()  # fails now if the port is in use
        call_command("migrate", verbosity=0, interactive=False)
        dataset = make_sample_site(say=self.stdout.write)
        request = demo_request(dataset)
        if request is not None:
            # No message is sent: the queue of the future server does not exist yet, and the sweeper
            # sends messages for all queued rows without one.
            run = create_run(request=request, actor=dataset.owner).run
            self.stdout.write(f"Run '{run.name}': queued; it starts once the site is served.")
        accounts = [f"  {name:<15} {role.label}" for name, role in ACCOUNTS.items()]
        last_lines = [
            f"'{RATED_CAMPAIGN}' is rated and closed, '{OPEN_CAMPAIGN}' waits for annotator.",
            f"'{PROTOCOL_CAMPAIGN}' is in its main round, which waits for the raters.",
            f"'{SEGMENT_CAMPAIGN}' has recordings to label for annotator.",
            f"'{QUESTION_SET}' is a reviewed question set; Benchmarks has its table.",
            f"Accounts (password of all: {PASSWORD})",
            *accounts,
        ]
        self.stdout.write("")
        if serve is None:
            self.stdout.write("\n".join(last_lines))
        else:
            call_command("serve", host=LOCALHOST, port=serve, last_lines=last_lines)


def demo_request(dataset: Dataset) -> RunRequest | None:
    """The run to launch, None if the site has it already."""
    if Run.objects.filter(dataset=dataset, name=RUN_NAME).exists():
        return None
    return RunRequest(
        name=RUN_NAME,
        dataset=dataset,
        profile=PIEV,
        seed=SEED,
        stages=list(Stage),
        takes=Take.objects.filter(dataset=dataset),
        is_shared=True,
        options=RunOptions().to_dict(),
    )
