"""Questions about mistakes: import the public files of EgoErrorVQA, make and freeze sets."""

from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError

from annotation.engine.corpus.formats.egoerrorvqa import read_pairs
from annotation.engine.corpus.formats.errors import FormatError
from annotation.engine.corpus.formats.registry import available_formats
from annotation.engine.exceptions import NotNowError
from annotation.management.command import CommandWithoutPages
from annotation.management.shown_work import shown_while
from annotation.models import Dataset, User
from annotation.selectors.corpus.corpus import visible_datasets
from annotation.services.corpus.import_plan import ImportRefusedError
from annotation.services.corpus.imports import ImportTarget, import_reading, read_files
from benchmarks.engine.questions.samples import (
    ALL,
    ALL_WHOLE,
    AS_MANY,
    LEFT_OUT,
    WHOLE,
    QuestionSettings,
)
from benchmarks.models import QuestionSet
from benchmarks.selectors.questions import state_of_questions
from benchmarks.selectors.vqa_rows import join_rows
from benchmarks.services.questions.published import store_published
from benchmarks.services.questions.sets import (
    QuestionSetRequest,
    resume_questions,
    start_freezing_questions,
    start_questions,
)
from benchmarks.services.questions.work import work_on_question_sets
from generation.backends.exceptions import CancelledError
from generation.management.long_work import LongWork

FORMAT = "egoerrorvqa"
SHOWN_ROWS = 20


class Command(CommandWithoutPages):
    help = "Import the nine public files of EgoErrorVQA, or make question sets and freeze them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        commands = parser.add_subparsers(dest="action", required=True)
        import_ = commands.add_parser("import", help="take in the folder json/")
        import_.add_argument("folder", type=Path, help="the folder, or one with json/ inside")
        import_.add_argument("--name", default="EgoErrorVQA", help="name of the data set")
        import_.add_argument("--dry-run", action="store_true", help="write nothing")
        make = commands.add_parser("make", help="make the questions of a data set")
        make.add_argument("dataset", help="its name or id")
        make.add_argument("--name", required=True, help="name of the question set")
        make.add_argument("--seed", type=int, default=0)
        make.add_argument("--pairs", type=int, default=3, help="questions about each step")
        make.add_argument("--correct", choices=(AS_MANY, ALL), default=AS_MANY)
        make.add_argument("--untimed", choices=(LEFT_OUT, WHOLE, ALL_WHOLE), default=LEFT_OUT)
        make.add_argument("--writer", default="", help="id of a text model; else templates write")
        make.add_argument("--budget", type=float, help="US dollars at most")
        for command in (import_, make):
            command.add_argument("--owner", help="username of its owner")
        freeze = commands.add_parser("freeze", help="fix the questions for good")
        resume = commands.add_parser("resume", help="go on with a set that was stopped")
        resume.add_argument("--budget", type=float, help="another budget")
        for command in (freeze, resume):
            command.add_argument("question_set", help="its id")
        commands.add_parser("list", help="question sets")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            {
                "import": self.import_files,
                "make": self.make,
                "freeze": self.freeze,
                "resume": self.resume,
                "list": self.list,
            }[options["action"]](options)
        except ValidationError as error:
            raise CommandError("\n".join(error.messages)) from error

    def _owner(self, options: dict[str, Any]) -> User | None:
        owner = User.objects.filter(username=options["owner"]).first() if options["owner"] else None
        if options["owner"] and owner is None:
            raise CommandError(f"There is no account {options['owner']!r}.")
        return owner

    def list(self, options: dict[str, Any]) -> None:
        for row in QuestionSet.objects.select_related("job", "review").order_by("pk"):
            words = f"{row.question_count} questions about {row.source}, {state_of_questions(row)}"
            self.stdout.write(f"{row.public_id} {row}: {words}")

    def make(self, options: dict[str, Any]) -> None:
        dataset = Dataset.objects.filter(name=options["dataset"]).first()
        settings = QuestionSettings(options["pairs"], options["correct"], options["untimed"])
        request = QuestionSetRequest(
            name=options["name"],
            source=dataset.public_id if dataset else options["dataset"],
            seed=options["seed"],
            settings=settings,
            writer=options["writer"],
            budget_usd=options["budget"],
        )
        question_set = self._worked_on(
            *start_questions(request=request, actor=self._owner(options))
        )
        words = f"{question_set.public_id} {question_set}: {question_set.question_count} questions"
        self.stdout.write(words)
        for reason, count in question_set.left_out.items():
            self.stdout.write(f"  not asked about: {count} {reason}")
        for one in question_set.figures["guessers"]:
            if one["f1"] is not None:
                self.stdout.write(f"  {one['target']} by {one['guesser']}: F1 {one['f1']:.2f}")

    def freeze(self, options: dict[str, Any]) -> None:
        question_set = self._set(options)
        try:
            job_ids = start_freezing_questions(question_set=question_set, actor=None)
        except NotNowError as error:
            raise CommandError(str(error)) from error
        self._tell(self._worked_on(question_set, job_ids))

    def resume(self, options: dict[str, Any]) -> None:
        question_set, budget = self._set(options), options["budget"]
        job_ids = resume_questions(question_set=question_set, actor=None, budget_usd=budget)
        self._tell(self._worked_on(question_set, job_ids))

    def _set(self, options: dict[str, Any]) -> QuestionSet:
        question_set = QuestionSet.objects.filter(public_id=options["question_set"]).first()
        if question_set is None:
            raise CommandError(f"There is no question set {options['question_set']!r}.")
        return question_set

    def _tell(self, question_set: QuestionSet) -> None:
        state = state_of_questions(question_set)
        self.stdout.write(f"{question_set} is {state}: {question_set.content_hash}")

    def _worked_on(self, question_set: QuestionSet, job_ids: Sequence[int]) -> QuestionSet:
        """Work on a set here, with its progress on a terminal; the set as it is then."""
        at_work = LongWork("questions", "steps", self.stderr)

        def watch(done_count: int, total_count: int) -> None:
            at_work.check()
            at_work.total_count = total_count
            at_work.count_done(done_count - at_work.done_count)

        with at_work.shown():
            work_on_question_sets(job_ids=job_ids, watch=watch)
        rows = QuestionSet.objects.select_related("job", "review")
        question_set = rows.get(pk=question_set.pk)
        try:
            at_work.check()
        except CancelledError as error:
            words = f"{error}. `questions resume {question_set.public_id}` goes on with it."
            raise CommandError(words, returncode=at_work.stopped_error(error).returncode) from error
        if question_set.job is not None and question_set.job.error:
            raise CommandError(question_set.job.error)
        return question_set

    def import_files(self, options: dict[str, Any]) -> None:
        owner = self._owner(options)
        datasets = Dataset.objects.all() if owner is None else visible_datasets(owner)
        target = ImportTarget(options["name"], FORMAT, owner, is_shared=owner is None)
        try:
            with shown_while("Reading the files", self.stderr, things="steps") as work:
                reading = read_files(available_formats()[FORMAT], options["folder"])
                import_reading(
                    reading, target=target, is_dry_run=options["dry_run"], watch=work.watch
                )
        except (FormatError, ImportRefusedError) as error:
            listed = "\n".join(f"  {item}" for item in error.problems)
            raise CommandError(f"Refused; nothing was written.\n{listed}") from error
        for name, count in [*reading.derived.items(), *reading.native_labels.items()]:
            self.stdout.write(f"{name:<60} {count:>8,}")
        for warning in reading.warnings:
            self.stdout.write(f"{warning.where}: {warning.message}")
        for joined in join_rows(reading, datasets):
            said = f"{joined.dataset.name}: {joined.found_count} of {joined.row_count} rows"
            self.stdout.write(f"{said} are there once, with the same labels")
            for other in joined.others[:SHOWN_ROWS]:
                self.stdout.write(f"  {other}")
            if len(joined.others) > SHOWN_ROWS:
                self.stdout.write(f"  and {len(joined.others) - SHOWN_ROWS} more")
        if options["dry_run"]:
            self.stdout.write("Dry run: nothing was written.")
            return
        dataset = Dataset.objects.get(name=options["name"], owner=owner)
        left = "the data set is imported, the same command stores its questions"
        with shown_while("Storing the questions", self.stderr, left=left):
            pairs = read_pairs(options["folder"])
            stored = store_published(dataset=dataset, rows=pairs, actor=owner)
        words = f"{stored.question_count} questions, not frozen"
        self.stdout.write(f"{stored.public_id} {stored}: {words}")
