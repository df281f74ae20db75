"""Step proposals from the command line, with the rights of the site itself."""

from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError

from annotation.management.command import CommandWithoutPages
from annotation.models import Dataset, User
from benchmarks.engine.features.extractor import extractors
from benchmarks.models import FeatureSet, StepProposals
from benchmarks.selectors.proposals import edge_figures, how_given, is_left_out
from benchmarks.services.proposal_work import propose_steps
from benchmarks.services.proposals import ProposalsRequest, resume_proposals, start_proposals
from generation.backends.exceptions import CancelledError
from generation.management.long_work import LongWork
from generation.models import TextEndpoint


class Command(CommandWithoutPages):
    help = "Propose the timed steps of recordings from their features, or go on with it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        words = "name or id of features; with --extractor of a data set; of proposals to go on with"
        parser.add_argument("features", help=words)
        words = "compute features of the data set first, where they are not there yet"
        parser.add_argument("--extractor", choices=list(extractors()), default="", help=words)
        parser.add_argument("--name", default="", help="of new proposals; without one go on")
        parser.add_argument("--recordings", default="", help="names, separated by blanks")
        parser.add_argument("--model", default="", help="name or id of a text model that captions")
        parser.add_argument("--budget", type=float, help="US dollars at most")
        parser.add_argument("--owner", help="username of their owner")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            proposals, job_ids = self._started(options) if options["name"] else self._found(options)
        except ValidationError as error:
            raise CommandError("\n".join(error.messages)) from error
        at_work = LongWork("propose_steps", "stages of recordings", self.stderr)

        def watch(done_count: int, total_count: int) -> None:
            at_work.check()
            at_work.total_count = total_count
            at_work.count_done(done_count - at_work.done_count)

        with at_work.shown():
            propose_steps(job_ids=job_ids, watch=watch)
        proposals = StepProposals.objects.select_related("job").get(pk=proposals.pk)
        try:
            at_work.check()
        except CancelledError as error:
            words = f"{error}. `propose_steps {proposals.public_id}` goes on with it."
            raise CommandError(words, returncode=at_work.stopped_error(error).returncode) from error
        if proposals.job is not None and proposals.job.error:
            raise CommandError(proposals.job.error)
        self._tell(proposals)

    def _started(self, options: dict[str, Any]) -> tuple[StepProposals, list[int]]:
        owner = User.objects.filter(username=options["owner"]).first() if options["owner"] else None
        if options["owner"] and owner is None:
            raise CommandError(f"There is no account {options['owner']!r}.")
        of, extractor = options["features"], options["extractor"]
        named = (Dataset if extractor else FeatureSet).objects.filter(name=of).first()
        public_id = of if named is None else named.public_id
        model = TextEndpoint.objects.filter(name=options["model"]).first()
        request = ProposalsRequest(
            name=options["name"],
            features="" if extractor else public_id,
            dataset=public_id if extractor else "",
            extractor=extractor,
            recordings=options["recordings"],
            describer=model.public_id if model else options["model"],
            budget_usd=options["budget"],
        )
        return start_proposals(request=request, actor=owner)

    def _found(self, options: dict[str, Any]) -> tuple[StepProposals, list[int]]:
        proposals = StepProposals.objects.filter(public_id=options["features"]).first()
        if proposals is None:
            raise CommandError(
                f"There are no step proposals {options['features']!r}; --name starts new ones."
            )
        budget = options["budget"]
        return proposals, resume_proposals(proposals=proposals, actor=None, budget_usd=budget)

    def _tell(self, proposals: StepProposals) -> None:
        rows = list(proposals.recordings.all())
        self.stdout.write(f"{proposals.public_id} {proposals}: {len(rows)} recordings")
        if how := how_given(proposals):
            self.stdout.write(f"  {how}")
        for row in rows:
            for step in row.steps:
                number = "-" if step["place"] is None else str(step["place"] + 1)
                words = f"  {row.uid} {step['start_s']:.1f} {step['end_s']:.1f} {number}"
                self.stdout.write(f"{words} {step['caption']}".rstrip())
            if row.fault or is_left_out(row):
                self.stdout.write(f"  {row.uid}: {row.fault or 'rated below 5, not handed on'}")
        for one in edge_figures(rows):
            near = ", ".join(f"{share:.2f} within {most} s" for most, share in one.near.items())
            median_s = "–" if one.median_s is None else f"{one.median_s:.2f} s"
            self.stdout.write(f"  {one.name}: median edge error {median_s}; inner edges {near}")
