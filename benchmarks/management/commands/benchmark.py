"""Benchmarks from the command line, with the rights of the site itself."""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.db.models import Q

from annotation.analytics.tables.table import Table
from annotation.analytics.tables.table_writers import TableFormat, write_table
from annotation.backends.publishing import write_pieces
from annotation.engine.corpus.formats.errors import FormatError
from annotation.management.command import CommandWithoutPages
from annotation.management.shown_work import shown_while
from annotation.models import Dataset, User
from benchmarks import launch
from benchmarks.engine.division import TEST, TRAINING, Division, ExampleRecordings
from benchmarks.engine.planned_sizes import Assumed
from benchmarks.engine.registry import tasks
from benchmarks.engine.training_files import TrainingOptions
from benchmarks.management.audits import audit_lines, audit_table
from benchmarks.management.options import add_asking, add_audits, add_making, add_sets, add_training
from benchmarks.models import AgentEndpoint, Assessment, ItemSet
from benchmarks.selectors.assessments import state_of
from benchmarks.selectors.downloads import Download, download_name, download_of
from benchmarks.selectors.item_sets import cautions_of, state_of_set
from benchmarks.selectors.material_round import round_parts
from benchmarks.selectors.planned_sizes import (
    WIDTHS,
    assumed_sizes,
    items_per_recording,
    planned_sizes,
)
from benchmarks.selectors.sources import ROUND
from benchmarks.selectors.tables import require_group, table_of
from benchmarks.selectors.training import trainable_feature_sets
from benchmarks.selectors.training_files import TrainingRefusedError, training_archive
from benchmarks.services.asking_prices import asking_price
from benchmarks.services.assessment_work import work_on_assessments
from benchmarks.services.assessments import AskRequest, start_assessment
from benchmarks.services.item_set_work import work_on_item_sets
from benchmarks.services.item_sets import (
    ItemSetRequest,
    OneOfSources,
    resume_item_set,
    start_freezing,
    start_making,
)
from benchmarks.services.judging import judge_assessment, judge_prices
from benchmarks.services.leaving_out import start_leaving_out
from benchmarks.services.shortcut_audits import audit_items
from benchmarks.services.training import TrainRequest, start_training
from benchmarks.services.uploads import AnswerUpload, upload_answers
from generation.backends.exceptions import CancelledError
from generation.management.long_work import LongWork
from generation.models import Endpoint, TextEndpoint


class Command(CommandWithoutPages):
    """One subcommand per action; item sets and assessments are named by their ids."""

    help = "Make item sets, freeze and download them, upload answers, ask models, print tables."

    def add_arguments(self, parser: ArgumentParser) -> None:
        commands = parser.add_subparsers(dest="action", required=True)
        for add in (add_making, add_sets, add_audits, add_asking, add_training):
            add(commands)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            getattr(self, options["action"])(options)
        except (ValidationError, FormatError) as error:
            words = error.messages if isinstance(error, ValidationError) else [str(error)]
            raise CommandError("\n".join(words)) from error

    def list(self, options: dict[str, Any]) -> None:
        for task in tasks().values():
            self.stdout.write(f"task {task.name} v{task.version}: {task.title}")
            for variant in task.variants:
                self.stdout.write(f"  variant {variant.name}: {variant.title}")
        for row in ItemSet.objects.select_related("job").order_by("pk"):
            words = f"{row.task}, {row.item_count} items of {row.source}, {state_of_set(row)}"
            self.stdout.write(f"{row.public_id} {row}: {words}, {row.content_hash}")

    def make(self, options: dict[str, Any]) -> None:
        owner = None
        if options["owner"]:
            owner = User.objects.filter(username=options["owner"]).first()
            if owner is None:
                raise CommandError(f"There is no account {options['owner']!r}.")
        request = ItemSetRequest(
            name=options["name"],
            task=options["task"],
            **self._sources(options),
            seed=options["seed"],
            settings=dict(self._setting(text) for text in options["set"]),
            division=_division(options),
            is_shared=options["shared"] or owner is None,
        )
        if options["queue"]:
            item_set = launch.launch_item_set(request=request, actor=owner)
            self.stdout.write(f"{item_set.public_id} {item_set}: {state_of_set(item_set)}")
        else:
            self._tell_made(self._worked_on(*start_making(request=request, actor=owner)))

    def _sources(self, options: dict[str, Any]) -> dict[str, Any]:
        """The source of a request, or its several sources."""
        learned = [(name, part) for part in TRAINING for name in options[part]]
        mixed = [options["source"], *options["mixed_with"]]
        if len(mixed) + len(learned) == 1:
            return {"source": self._source(options, options["source"])}
        named = [*((name, TEST if learned else "") for name in mixed), *learned]
        return {
            "sources": [OneOfSources(self._source(options, name), part) for name, part in named]
        }

    def _source(self, options: dict[str, Any], named: str) -> str:
        """The id of what the items are made of: of a data set, or of a campaign's round."""
        task = tasks().get(options["task"])
        if task is None or task.source != ROUND:
            dataset = Dataset.objects.filter(name=named).first()
            return dataset.public_id if dataset else named
        parts = round_parts(None)
        fitting = [
            part
            for part in parts
            if named in {part.campaign, part.source}
            and options["round"] in {None, part.number}
            and options["dataset"] in {None, part.dataset}
        ]
        if len(fitting) == 1:
            return fitting[0].source
        words = f"{len(fitting)} rounds fit {named!r}; choose one with --round and --dataset:"
        if not fitting:
            words = f"There is no such round of {named!r}. There are, by campaign:"
        if not parts:
            raise CommandError(f"There is no round of {named!r}: no round of ratings has begun.")
        raise CommandError("\n".join([words, *(f"  {part}" for part in fitting or parts)]))

    def _tell_made(self, item_set: ItemSet) -> None:
        for words in (*cautions_of(item_set), *(leak["words"] for leak in item_set.leaks)):
            self.stderr.write(words)
        content = f"{item_set.item_count} items, {item_set.content_hash}"
        self.stdout.write(f"{item_set.public_id} {item_set}: {content}")

    def _worked_on(self, item_set: ItemSet, job_ids: Sequence[int]) -> ItemSet:
        """Work on a set here, with its progress on a terminal; the set as it is then."""
        things = "answers of baselines" if item_set.is_made else "items"
        at_work = LongWork("benchmark", f"{things} (computed, then stored)", self.stderr)

        with at_work.shown():
            work_on_item_sets(job_ids=job_ids, watch=at_work.watch)
        item_set = ItemSet.objects.select_related("job").get(pk=item_set.pk)
        try:
            at_work.check()
        except CancelledError as error:
            words = f"{error}. `benchmark resume {item_set.public_id}` goes on with it."
            raise CommandError(words, returncode=at_work.stopped_error(error).returncode) from error
        if item_set.job is not None and item_set.job.error:
            raise CommandError(item_set.job.error)
        return item_set

    def _setting(self, text: str, option: str = "--set") -> tuple[str, str]:
        name, equals, value = text.partition("=")
        if not equals:
            raise CommandError(f"{option} is {text!r}; expected NAME=VALUE")
        return name, value

    def freeze(self, options: dict[str, Any]) -> None:
        item_set = self._item_set(options)
        if options["queue"]:
            launch.launch_freeze(item_set=item_set, actor=None)
            self.stdout.write(f"{item_set}: {state_of_set(self._item_set(options))}")
        else:
            job_ids = start_freezing(item_set=item_set, actor=None)
            self._tell_frozen(self._worked_on(item_set, job_ids))

    def _tell_frozen(self, item_set: ItemSet) -> None:
        self.stdout.write(f"{item_set} is {state_of_set(item_set)}: {item_set.content_hash}")

    def resume(self, options: dict[str, Any]) -> None:
        item_set = self._item_set(options)
        if options["queue"]:
            launch.resume_item_set(item_set=item_set, actor=None)
            self.stdout.write(f"{item_set}: {state_of_set(self._item_set(options))}")
            return
        job_ids = resume_item_set(item_set=item_set, actor=None)
        tell = self._tell_frozen if item_set.is_made else self._tell_made
        tell(self._worked_on(item_set, job_ids))

    def download(self, options: dict[str, Any]) -> None:
        item_set, which = self._item_set(options), Download(options["which"])
        path = options["to"]
        if which is Download.TRAINING:
            chosen = TrainingOptions(**{
                one.name: options[one.name] for one in fields(TrainingOptions)
            })  # fmt: skip
            try:
                pieces = training_archive(item_set, chosen, sees_truth=True)
            except TrainingRefusedError as error:
                raise CommandError(str(error)) from error
            if path is None:
                raise CommandError("An archive is not printed; say where to with --to.")
        else:
            pieces = (piece.encode() for piece in download_of(item_set, which, sees_truth=True))
        if path is None:
            sys.stdout.writelines(piece.decode() for piece in pieces)
            return
        path = path / download_name(item_set, which) if path.is_dir() else path
        with shown_while("Writing the file", self.stderr, left="no file was left"):
            write_pieces(pieces, path)
        self.stdout.write(str(path))

    def upload(self, options: dict[str, Any]) -> None:
        path = options["file"]
        try:
            content = path.read_bytes()
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror}") from error
        upload = AnswerUpload(options["name"], path.name, content, options["count_missing"])
        with shown_while("Checking, storing and scoring the answers", self.stderr):
            row = upload_answers(item_set=self._item_set(options), request=upload, actor=None)
        self._tell(row)

    def assess(self, options: dict[str, Any]) -> None:
        item_set = self._item_set(options)
        options["endpoint"] = self._endpoint(options["endpoint"], TextEndpoint, AgentEndpoint)
        options["judges"] = [self._endpoint(name) for name in options["judges"]]
        options["roles"] = {
            role: self._endpoint(name)
            for role, name in (self._setting(text, "--role") for text in options["roles"])
        }
        request = AskRequest(**_fields(AskRequest, options))
        arguments: dict[str, Any] = {"item_set": item_set, "request": request, "actor": None}
        if options["price"]:
            self.stdout.write(asking_price(**arguments).words)
        elif options["queue"]:
            self._tell(launch.launch_assessment(**arguments))
        else:
            self._work_on(*start_assessment(**arguments))

    def judge(self, options: dict[str, Any]) -> None:
        """Print what each judge would cost, and start the named judges, if any."""
        rows = Assessment.objects.select_related("item_set", "owner", "job")
        assessment = rows.filter(public_id=options["assessment"]).first()
        if assessment is None:
            raise CommandError(f"there is no assessment {options['assessment']!r}")
        judges = [self._endpoint(name) for name in options["judges"]]
        for price in judge_prices(assessment, None):
            if not judges or price.endpoint.public_id in judges:
                self.stdout.write(price.words)
        budget = options["budget_usd"]
        arguments = {"assessment": assessment, "judges": judges, "budget_usd": budget}
        if judges and options["queue"]:
            launch.judge_assessment(**arguments, actor=None)
        elif judges:
            self._work_on(assessment, judge_assessment(**arguments, actor=None))

    def train(self, options: dict[str, Any]) -> None:
        item_set = self._item_set(options)
        ids_by_name = {row.name: row.public_id for row in trainable_feature_sets(None, item_set)}
        options["features"] = [ids_by_name.get(name, name) for name in options["features"]]
        request = TrainRequest(**_fields(TrainRequest, options))
        arguments: dict[str, Any] = {"item_set": item_set, "request": request, "actor": None}
        if options["queue"]:
            self._tell(launch.launch_training(**arguments))
        else:
            self._work_on(*start_training(**arguments))

    def _work_on(self, assessment: Assessment, job_ids: Sequence[int]) -> None:
        at_work = LongWork("benchmark", "answers", self.stderr)
        with at_work.shown():
            work_on_assessments(job_ids=job_ids, watch=at_work.watch)
        try:
            at_work.check()
        except CancelledError as error:
            words = f"{error}. What was answered is stored; its page goes on with it."
            raise CommandError(words, returncode=at_work.stopped_error(error).returncode) from error
        done = Assessment.objects.select_related("job").get(pk=assessment.pk)
        self._tell(done)
        if done.job is not None and done.job.error:
            raise CommandError(done.job.error)

    def table(self, options: dict[str, Any]) -> None:
        item_set, group, value = self._item_set(options), options["group"], options["value"]
        require_group(item_set, group, value)
        with shown_while("Making the table", self.stderr):
            table = table_of(item_set, group=group, group_value=value)
        self.stdout.write(write_table(table, TableFormat(options["form"])), ending="")

    def plan(self, options: dict[str, Any]) -> None:
        widths = options["widths"] or WIDTHS
        for width in widths:
            if not width > 0:
                raise CommandError(f"--width is {width}; expected more than 0")
        if options["assessment"] is None:
            assumed = self._assumed(options, widths)
            self.stdout.write(write_table(assumed, TableFormat(options["form"])), ending="")
            return
        rows = Assessment.objects.select_related("item_set")
        assessment = rows.filter(public_id=options["assessment"]).first()
        if assessment is None:
            raise CommandError(f"there is no assessment {options['assessment']!r}")
        figures = assessment.figures.filter(group="").order_by("pk")
        table = planned_sizes(figures, tasks()[assessment.item_set.task], widths)
        if table is None:
            raise CommandError(
                f"{assessment.name} has no figure with an interval; expected one over several"
                " recordings whose answers are not all alike"
            )
        self.stdout.write(write_table(table, TableFormat(options["form"])), ending="")

    def _assumed(self, options: dict[str, Any], widths: Sequence[float]) -> Table:
        """Of answers that nobody has given yet."""
        per_recording = options["items_per_recording"]
        if (per_recording is None) == (options["item_set"] is None):
            raise CommandError("name an assessment, or one of --set and --items-per-recording")
        if per_recording is None:
            per_recording = items_per_recording(self._item_set(options))
        names = ("accuracy", "recording", "item", "rater")
        try:
            assumed = Assumed(*(options[name] for name in names))
            return assumed_sizes(assumed, per_recording, raters=options["raters"], widths=widths)
        except ValueError as error:
            raise CommandError(str(error)) from error

    def audit(self, options: dict[str, Any]) -> None:
        """Audit a set as its page does; that of a set which is not frozen is stored with it."""
        item_set = self._item_set(options)
        if item_set.is_made and not item_set.is_frozen:
            job_ids = start_freezing(item_set=item_set, actor=None, only_audit=True)
            self._tell_lines(audit_lines(self._worked_on(item_set, job_ids)))
            return
        with shown_while("Auditing the items", self.stderr):
            audited = audit_items(item_set)
        item_set.shortcuts = audited.to_dict(item_set)
        item_set.shortcuts_hash = audited.audit.content_hash
        self._tell_lines(audit_lines(item_set))

    def audit_tasks(self, options: dict[str, Any]) -> None:
        """Print the table of `docs/benchmarks.md`; bold beats chance."""
        datasets = []
        for name in options["datasets"]:
            dataset = Dataset.objects.filter(Q(name=name) | Q(public_id=name)).first()
            if dataset is None:
                raise CommandError(f"there is no data set {name!r}")
            datasets.append(dataset)
        self._tell_lines(audit_table(datasets))

    def leave_out(self, options: dict[str, Any]) -> None:
        item_set, at_least = self._item_set(options), options["at_least"]
        arguments: dict[str, Any] = {"item_set": item_set, "at_least": at_least, "actor": None}
        if options["queue"]:
            launch.launch_leaving_out(**arguments)
            self.stdout.write(f"{item_set}: {state_of_set(self._item_set(options))}")
            return
        item_set = self._worked_on(item_set, start_leaving_out(**arguments))
        self._tell_lines(audit_lines(item_set))
        self._tell_made(item_set)

    def _tell_lines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.stdout.write(line)

    def _item_set(self, options: dict[str, Any]) -> ItemSet:
        sets = ItemSet.objects.select_related("job")
        item_set = sets.filter(public_id=options["item_set"]).first()
        if item_set is None:
            raise CommandError(f"there is no item set {options['item_set']!r}; see `list`")
        return item_set

    def _endpoint(self, name: str, *kinds: type[Endpoint]) -> str:
        rows = (kind._default_manager.filter(name=name) for kind in kinds or (TextEndpoint,))
        named = next((row.first() for row in rows if row), None)
        return named.public_id if named else name

    def _tell(self, assessment: Assessment) -> None:
        counts = {status: count for status, count in assessment.counts.items() if count}
        words = f"{assessment.public_id} {assessment.name}: {state_of(assessment)}"
        self.stdout.write(f"{words} {json.dumps(counts)}" if counts else words)


def _division(options: dict[str, Any]) -> Division | ExampleRecordings | None:
    unit, count = options["divide_by"], options["example_recordings"]
    if unit and count:
        raise CommandError("there are both --divide-by and --example-recordings; expected one")
    try:
        if unit:
            return Division(unit, tuple(options["shares"]))
        return ExampleRecordings(count) if count else None
    except ValueError as error:
        raise CommandError(f"{error}.") from error


def _fields(request: type[AskRequest | TrainRequest], options: dict[str, Any]) -> dict[str, Any]:
    """The options that are fields of a request; it has defaults for all others."""
    return {field.name: options[field.name] for field in fields(request) if field.name in options}
