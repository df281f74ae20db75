"""Make a new data set of the finished segments of a round."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from annotation.engine.corpus.formats.errors import FormatError
from annotation.launch import launch_ingest
from annotation.management.command import CommandWithoutPages
from annotation.management.shown_work import shown_while
from annotation.models import Dataset, User
from annotation.services.corpus.import_plan import ImportRefusedError
from annotation.services.corpus.imports import count_reading
from segments.management.rounds import add_round_arguments, opened_rounds
from segments.selectors.reading import MixedSchemesError
from segments.services.publish import NewDataset, publication_of, publish_round


class Command(CommandWithoutPages):
    help = (
        "Make a new data set of what is accepted in a round of segments, of a closed one also of"
        " what is submitted: publish_segments --campaign NAME --round N --name NAME."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_round_arguments(parser)
        parser.add_argument("--name", required=True, help="name of the new data set")
        parser.add_argument("--owner", help="the researcher whose data set it is")
        parser.add_argument("--shared", action="store_true", help="every researcher sees it")
        parser.add_argument("--dry-run", action="store_true", help="only say what would come in")

    def handle(self, *args: object, **options: Any) -> None:
        rounds = opened_rounds(options)
        if len(rounds) > 1:
            raise CommandError("The campaign has several rounds: choose one with --round.")
        owner = None
        if options["owner"]:
            owner = User.objects.filter(username=options["owner"]).first()
            if owner is None or not owner.is_researcher:
                raise CommandError(f"There is no researcher {options['owner']!r}.")
        new = NewDataset(options["name"], options["shared"])
        try:
            with shown_while("Making the data set", self.stderr):
                if options["dry_run"]:
                    counts = count_reading(publication_of(rounds[0]).reading)
                else:
                    outcome = publish_round(round_=rounds[0], new=new, actor=owner)
                    counts = outcome.counts
            if not options["dry_run"]:
                dataset = Dataset.objects.get(public_id=outcome.dataset_id)
                launch_ingest(dataset=dataset, actor=owner)
        except (FormatError, ImportRefusedError, MixedSchemesError) as error:
            raise CommandError(str(error)) from error
        verb = "would be made" if options["dry_run"] else "is made"
        self.stdout.write(
            f"{options['name']} {verb}: {counts.takes} takes, {counts.traces} traces,"
            f" {counts.events} events."
        )
