"""Ask a text model for the representations of a data set's steps; the data set stays unchanged."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from annotation.management.command import CommandWithoutPages
from annotation.models import Dataset, Step
from generation.backends.exceptions import BudgetSpentError, CancelledError, ModelError
from generation.engine.planner.files.plan_files import write_json
from generation.management.long_work import LongWork
from generation.management.outputs import add_budget_option
from generation.models import TextEndpoint
from generation.services.calls.keys import UnreadableKeyError
from generation.services.texts.semreps import ModelSemReps, semreps_by_model

SHOWN_PROBLEMS = 20


class Command(CommandWithoutPages):
    help = "Representations by a text model: represent DATASET --endpoint NAME --out F."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("dataset", help="name of a data set")
        parser.add_argument("--endpoint", required=True, help="name of an endpoint of the site")
        parser.add_argument(
            "--out", type=Path, required=True, help="file to write, in the published form (JSON)"
        )
        add_budget_option(parser)

    def handle(self, *args: object, **options: Any) -> None:
        dataset = Dataset.objects.filter(name=options["dataset"]).first()
        endpoint = TextEndpoint.objects.filter(name=options["endpoint"]).first()
        if dataset is None:
            raise CommandError(f"There is no data set {options['dataset']!r}.")
        if endpoint is None:
            names = ", ".join(TextEndpoint.objects.values_list("name", flat=True)) or "none"
            raise CommandError(
                f"There is no endpoint {options['endpoint']!r}; this site has: {names}."
            )
        steps = Step.objects.filter(take__dataset=dataset).order_by("take__uid", "index")
        at_work = LongWork("represent", "texts", self.stderr, options["budget"])
        texts = list(dict.fromkeys(steps.values_list("text", flat=True)))
        try:
            at_work.begin(len(texts))
            with at_work.shown():
                semreps = semreps_by_model(
                    texts,
                    model_name=endpoint.model_name,
                    ask=at_work.budget.asking(endpoint),
                    on_progress=at_work.count_done,
                )
        except CancelledError as error:
            raise at_work.stopped_error(error) from error
        except (ModelError, BudgetSpentError, UnreadableKeyError) as error:
            raise CommandError(
                f"{error}. The answers so far are stored: run the same command again to continue."
            ) from error
        write_json(published_form(texts, semreps), options["out"])
        for problem in semreps.problems[:SHOWN_PROBLEMS]:
            self.stderr.write(problem)
        if len(semreps.problems) > SHOWN_PROBLEMS:
            self.stderr.write(f"and {len(semreps.problems) - SHOWN_PROBLEMS} more")
        self.stdout.write(
            f"{options['out']}: representations of {len(semreps.by_text)} of {len(texts)} texts."
        )


def published_form(texts: list[str], semreps: ModelSemReps) -> dict[str, dict[str, str]]:
    """The published cache: ids 1..N over all texts; texts without a representation are left out."""
    return {
        str(number): {"step_description": text, "semantic_representation": semreps.by_text[text]}
        for number, text in enumerate(texts, start=1)
        if text in semreps.by_text
    }
