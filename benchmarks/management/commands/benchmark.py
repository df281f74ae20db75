"""Benchmarks from the command line, with the rights of the site itself."""

import json
import sys
from argparse import SUPPRESS, ArgumentParser
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.db.models import Q

from annotation.analytics.tables.table_writers import TableFormat, write_table
from annotation.engine.corpus.formats.errors import FormatError
from annotation.management.command import CommandWithoutPages
from annotation.models import Dataset, User
from benchmarks import launch
from benchmarks.engine.division import PARTS, UNITS, Division
from benchmarks.engine.registry import tasks
from benchmarks.engine.training.recipes import KINDS, PRESETS, STEP_SCORES
from benchmarks.models import Assessment, ItemSet
from benchmarks.selectors.assessments import state_of
from benchmarks.selectors.downloads import Download, download_name, download_of
from benchmarks.selectors.item_sets import cautions_of, state_of_set
from benchmarks.selectors.material_round import round_parts
from benchmarks.selectors.sources import ROUND
from benchmarks.selectors.tables import require_group, table_of
from benchmarks.selectors.training import trainable_feature_sets
from benchmarks.services.asking_prices import asking_price
from benchmarks.services.assessment_work import work_on_assessments
from benchmarks.services.assessments import AskRequest, start_assessment
from benchmarks.services.item_set_work import work_on_item_sets
from benchmarks.services.item_sets import (
    ItemSetRequest,
    resume_item_set,
    start_freezing,
    start_making,
)
from benchmarks.services.judging import judge_assessment, judge_prices
from benchmarks.services.leaving_out import start_leaving_out
from benchmarks.services.shortcut_audits import TaskAudit, audit_items, audits_of_tasks
from benchmarks.services.training import TrainRequest, start_training
from benchmarks.services.uploads import AnswerUpload, upload_answers
from generation.backends.exceptions import CancelledError
from generation.management.long_work import LongWork
from generation.models import TextEndpoint


class Command(CommandWithoutPages):
    """One subcommand per action; item sets and assessments are named by their ids."""

    help = "Make item sets, freeze and download them, upload answers, ask models, print tables."

    def add_arguments(self, parser: ArgumentParser) -> None:
        commands = parser.add_subparsers(dest="action", required=True)
        commands.add_parser("list", help="tasks and item sets")
        make = commands.add_parser("make", help="make the items of a data set")
        make.add_argument("task")
        make.add_argument(
            "source",
            help="name or id of the data set; for model_as_rater the name of a campaign",
        )
        make.add_argument("--round", type=int, help="number of the campaign's round")
        make.add_argument("--dataset", help="name of one of the round's data sets")
        make.add_argument("--name", required=True)
        make.add_argument("--seed", type=int, default=0)
        make.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
        make.add_argument("--divide-by", choices=UNITS)
        make.add_argument(
            "--shares", type=float, nargs=3, default=(0.6, 0.2, 0.2), metavar=tuple(PARTS)
        )
        make.add_argument("--owner", help="username of its owner; without one it is shared")
        make.add_argument("--shared", action="store_true")
        freeze = commands.add_parser("freeze", help="fix the items for good")
        resume = commands.add_parser("resume", help="go on with a set that was stopped")
        for command in (freeze, resume):
            command.add_argument("item_set")
        for command in (make, freeze, resume):
            command.add_argument("--queue", action="store_true", help="leave it to the workers")
        download = commands.add_parser("download", help="items without truth, or a template")
        download.add_argument("item_set")
        download.add_argument("which", choices=list(Download), nargs="?", default=Download.ITEMS)
        download.add_argument("--to", type=Path, help="a file or folder; else it is printed")
        self._add_participants(commands)
        audit = commands.add_parser("audit", help="what can be guessed without pictures")
        audit.add_argument("item_set")
        audit_tasks = commands.add_parser(
            "audit_tasks", help="a table of what can be guessed in every task on data sets"
        )
        audit_tasks.add_argument("datasets", nargs="+", help="names or ids of data sets")
        leave_out = commands.add_parser(
            "leave_out", help="leave out what guessers without pictures guess, before the freeze"
        )
        leave_out.add_argument("item_set")
        what = leave_out.add_mutually_exclusive_group(required=True)
        what.add_argument(
            "--guessed-by",
            type=int,
            dest="at_least",
            metavar="GUESSERS",
            help="what at least so many guessers that beat chance guess",
        )
        what.add_argument(
            "--balance", action="store_true", help="what is too frequent where it is guessed alike"
        )
        leave_out.add_argument("--queue", action="store_true", help="leave it to the workers")
        table = commands.add_parser("table", help="everybody's figures")
        table.add_argument("item_set")
        table.add_argument("--form", choices=list(TableFormat), default=TableFormat.MARKDOWN)
        table.add_argument("--group", default="")
        table.add_argument("--value", default="")

    def _add_participants(self, commands: Any) -> None:
        upload = commands.add_parser("upload", help="score a file of answers")
        upload.add_argument("item_set")
        upload.add_argument("file", type=Path)
        upload.add_argument("--name", required=True, help="the participant's exact name")
        upload.add_argument(
            "--count-missing",
            action="store_true",
            help="count items without an answer as wrong, in every figure",
        )
        assess = commands.add_parser(
            "assess", help="have a text model answer", argument_default=SUPPRESS
        )
        assess.add_argument("item_set")
        assess.add_argument("endpoint", help="name or id of a text model")
        assess.add_argument("--pictures", type=int)
        assess.add_argument("--picture-side", type=int)
        assess.add_argument("--picture-detail")
        assess.add_argument("--repeats", type=int)
        assess.add_argument("--temperature", type=float)
        assess.add_argument("--budget", type=float, dest="budget_usd", metavar="DOLLARS")
        assess.add_argument("--limit", type=int, help="ask about a sample of at most so many items")
        assess.add_argument(
            "--price",
            action="store_true",
            default=False,
            help="say the cost, ask nothing",
        )
        assess.add_argument("--judge", action="append", dest="judges", metavar="JUDGE", default=[])
        judge = commands.add_parser("judge", help="have text models grade final answers")
        judge.add_argument("assessment")
        judge.add_argument("judges", nargs="*", metavar="judge", help="name or id of a text model")
        judge.add_argument("--budget", type=float, dest="budget_usd", metavar="DOLLARS")
        train = commands.add_parser(
            "train", help="train a model on features", argument_default=SUPPRESS
        )
        train.add_argument("item_set")
        train.add_argument("model", choices=KINDS)
        train.add_argument("features", nargs="+", help="names or ids of feature sets, video first")
        train.add_argument("--preset", choices=PRESETS)
        train.add_argument("--seeds", type=int, help="how many models")
        train.add_argument("--epochs", type=int)
        train.add_argument("--learning-rate", type=float)
        train.add_argument("--beta", type=float, help="of class weights, MLP and MLP-focal")
        train.add_argument("--gamma", type=float, help="of the focal loss, MLP-focal")
        train.add_argument("--step-score", choices=STEP_SCORES)
        train.add_argument("--name", help="the participant's exact name")
        for command in (assess, judge, train):
            command.add_argument(
                "--queue", action="store_true", default=False, help="leave it to the workers"
            )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            getattr(self, options["action"])(options)
        except (ValidationError, FormatError) as error:
            words = error.messages if isinstance(error, ValidationError) else [str(error)]
            raise CommandError("\n".join(words)) from error

    def list(self, options: dict[str, Any]) -> None:
        for task in tasks().values():
            self.stdout.write(f"task {task.name} v{task.version}: {task.title}")
        for row in ItemSet.objects.select_related("job").order_by("pk"):
            words = f"{row.task}, {row.item_count} items of {row.source}, {state_of_set(row)}"
            self.stdout.write(f"{row.public_id} {row}: {words}, {row.content_hash}")

    def make(self, options: dict[str, Any]) -> None:
        owner = None
        if options["owner"]:
            owner = User.objects.filter(username=options["owner"]).first()
            if owner is None:
                raise CommandError(f"There is no account {options['owner']!r}.")
        unit = options["divide_by"]
        request = ItemSetRequest(
            name=options["name"],
            task=options["task"],
            source=self._source(options),
            seed=options["seed"],
            settings=dict(self._setting(text) for text in options["set"]),
            division=Division(unit, tuple(options["shares"])) if unit else None,
            is_shared=options["shared"] or owner is None,
        )
        if options["queue"]:
            item_set = launch.launch_item_set(request=request, actor=owner)
            self.stdout.write(f"{item_set.public_id} {item_set}: {state_of_set(item_set)}")
        else:
            self._tell_made(self._worked_on(*start_making(request=request, actor=owner)))

    def _source(self, options: dict[str, Any]) -> str:
        """The id of what the items are made of: of a data set, or of a campaign's round."""
        named: str = options["source"]
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

        def watch(done_count: int, total_count: int) -> None:
            at_work.check()
            at_work.total_count = total_count
            at_work.count_done(done_count - at_work.done_count)

        with at_work.shown():
            work_on_item_sets(job_ids=job_ids, watch=watch)
        item_set = ItemSet.objects.select_related("job").get(pk=item_set.pk)
        try:
            at_work.check()
        except CancelledError as error:
            words = f"{error}. `benchmark resume {item_set.public_id}` goes on with it."
            raise CommandError(words, returncode=at_work.stopped_error(error).returncode) from error
        if item_set.job is not None and item_set.job.error:
            raise CommandError(item_set.job.error)
        return item_set

    def _setting(self, text: str) -> tuple[str, str]:
        name, equals, value = text.partition("=")
        if not equals:
            raise CommandError(f"--set is {text!r}; expected NAME=VALUE")
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
        text = "".join(download_of(item_set, which, sees_truth=True))
        path = options["to"]
        if path is None:
            sys.stdout.write(text)
            return
        path = path / download_name(item_set, which) if path.is_dir() else path
        path.write_text(text, encoding="utf-8")
        self.stdout.write(str(path))

    def upload(self, options: dict[str, Any]) -> None:
        path = options["file"]
        try:
            content = path.read_bytes()
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror}") from error
        upload = AnswerUpload(options["name"], path.name, content, options["count_missing"])
        self._tell(upload_answers(item_set=self._item_set(options), request=upload, actor=None))

    def assess(self, options: dict[str, Any]) -> None:
        item_set = self._item_set(options)
        options["endpoint"] = self._endpoint(options["endpoint"])
        options["judges"] = [self._endpoint(name) for name in options["judges"]]
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
        work_on_assessments(job_ids=job_ids)
        done = Assessment.objects.select_related("job").get(pk=assessment.pk)
        self._tell(done)
        if done.job is not None and done.job.error:
            raise CommandError(done.job.error)

    def table(self, options: dict[str, Any]) -> None:
        item_set, group, value = self._item_set(options), options["group"], options["value"]
        require_group(item_set, group, value)
        table = table_of(item_set, group=group, group_value=value)
        self.stdout.write(write_table(table, TableFormat(options["form"])), ending="")

    def audit(self, options: dict[str, Any]) -> None:
        """Audit a set as its page does; that of a set which is not frozen is stored with it."""
        item_set = self._item_set(options)
        if item_set.is_made and not item_set.is_frozen:
            job_ids = start_freezing(item_set=item_set, actor=None, only_audit=True)
            self._tell_audit(self._worked_on(item_set, job_ids))
            return
        audited = audit_items(item_set)
        item_set.shortcuts = audited.to_dict(item_set)
        item_set.shortcuts_hash = audited.audit.content_hash
        self._tell_audit(item_set)

    def audit_tasks(self, options: dict[str, Any]) -> None:
        """Print the table of `docs/benchmarks.md`; bold beats chance."""
        # scikit-learn takes a second to load, and only the audit needs it here.
        from benchmarks.engine.shortcuts.audit import GUESSERS  # noqa: PLC0415

        heads = ["task", "data", "items", "chance", *GUESSERS]
        self.stdout.write(f"| {' | '.join(heads)} |\n{'|---' * len(heads)}|")
        for name in options["datasets"]:
            dataset = Dataset.objects.filter(Q(name=name) | Q(public_id=name)).first()
            if dataset is None:
                raise CommandError(f"there is no data set {name!r}")
            for row in audits_of_tasks(dataset.public_id):
                cells = [f"`{row.task.name}`", dataset.name, *_audit_cells(row)]
                self.stdout.write(f"| {' | '.join(cells)} |")

    def leave_out(self, options: dict[str, Any]) -> None:
        item_set, at_least = self._item_set(options), options["at_least"]
        arguments: dict[str, Any] = {"item_set": item_set, "at_least": at_least, "actor": None}
        if options["queue"]:
            launch.launch_leaving_out(**arguments)
            self.stdout.write(f"{item_set}: {state_of_set(self._item_set(options))}")
            return
        self._tell_audit(self._worked_on(item_set, start_leaving_out(**arguments)))
        self._tell_made(self._item_set(options))

    def _tell_audit(self, item_set: ItemSet) -> None:
        shortcuts = item_set.shortcuts
        for guesser in shortcuts["guessers"]:
            self.stdout.write(f"{guesser['title']}: {_guesser_in_words(guesser)}")
        counted, whole_count = shortcuts["item_count"], shortcuts["whole_count"]
        sample = "" if counted == whole_count else f", a sample of {whole_count}"
        recordings = f"{shortcuts['recording_count']} recordings"
        self.stdout.write(f"Guessed: {counted} items of {recordings}{sample}")
        for choice in shortcuts["choices"]:
            at_least, left = choice["at_least"], f"{choice['left']} stay"
            option = "--balance" if at_least is None else f"--guessed-by {at_least}"
            self.stdout.write(f"leave_out {option}: {choice['count']} items go, {left}")
        self.stdout.write(f"SHA-256 {item_set.shortcuts_hash}")

    def _item_set(self, options: dict[str, Any]) -> ItemSet:
        sets = ItemSet.objects.select_related("job")
        item_set = sets.filter(public_id=options["item_set"]).first()
        if item_set is None:
            raise CommandError(f"there is no item set {options['item_set']!r}; see `list`")
        return item_set

    def _endpoint(self, name: str) -> str:
        named = TextEndpoint.objects.filter(name=name).first()
        return named.public_id if named else name

    def _tell(self, assessment: Assessment) -> None:
        counts = {status: count for status, count in assessment.counts.items() if count}
        words = f"{assessment.public_id} {assessment.name}: {state_of(assessment)}"
        self.stdout.write(f"{words} {json.dumps(counts)}" if counts else words)


def _fields(request: type[AskRequest | TrainRequest], options: dict[str, Any]) -> dict[str, Any]:
    """The options that are fields of a request; it has defaults for all others."""
    return {field.name: options[field.name] for field in fields(request) if field.name in options}


def _audit_cells(row: TaskAudit) -> list[str]:
    """Items, chance and the figure of each guesser; or why there is none."""
    if row.audit is None:
        return ["–", row.reason]
    sample = "" if row.item_count == row.whole_count else f" of {row.whole_count:,}"
    items, guessers = f"{row.item_count:,}{sample}", row.audit.guessers
    if not row.audit.guesser_count:
        return [items, guessers[0].reason]
    chances = [guesser.chance for guesser in guessers if guesser.chance is not None]
    figures = ["–" if one.figure is None else f"{one.figure:.2f}".lstrip("0") for one in guessers]
    marked = [
        f"**{figure}**" if guesser.beats_chance else figure
        for figure, guesser in zip(figures, guessers, strict=True)
    ]
    return [items, f"{chances[0]:.2f}".lstrip("0"), *marked]


def _guesser_in_words(guesser: dict[str, Any]) -> str:
    if guesser["reason"]:
        return f"not guessed, {guesser['reason']}"
    interval = f"[{guesser['low']:.3f}, {guesser['high']:.3f}]" if guesser["high"] else ""
    words = f"{guesser['figure']:.3f} {interval or guesser['why_no_interval']}"
    end = ", BEATS CHANCE" if guesser["beats_chance"] else ""
    return f"{words}, by chance {guesser['chance']:.3f}{end}"
