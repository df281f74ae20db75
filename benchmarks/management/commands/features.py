"""Features of recordings from the command line, with the rights of the site itself."""

from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.db.models import Q

from annotation.engine.corpus.formats.errors import FormatError
from annotation.management.command import CommandWithoutPages
from annotation.management.shown_work import shown_while
from annotation.models import Dataset, User
from benchmarks import launch
from benchmarks.engine.features.extractor import extractors
from benchmarks.models import FeatureSet
from benchmarks.selectors.features import state_of
from benchmarks.services.feature_files import import_features
from benchmarks.services.feature_work import make_features, resume_features, start_features
from benchmarks.services.features import FeaturesRequest
from generation.backends.exceptions import CancelledError
from generation.management.long_work import LongWork


class Command(CommandWithoutPages):
    """One subcommand per action."""

    help = "Import features of recordings, make them of linked videos, list them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        commands = parser.add_subparsers(dest="action", required=True)
        commands.add_parser("list", help="extractors and features")
        import_ = commands.add_parser("import", help="take in .npy and .npz files")
        import_.add_argument("dataset", help="its name or id")
        import_.add_argument("path", type=Path, help="a file, a zip archive, or a folder")
        import_.add_argument("--seconds-per-row", type=float, default=1.0)
        import_.add_argument("--key", default="", help="which array of an .npz file")
        make = commands.add_parser("make", help="make features of the linked videos")
        make.add_argument("dataset", help="its name or id")
        make.add_argument("extractor", choices=list(extractors()))
        make.add_argument("--queue", action="store_true", help="leave it to the workers")
        resume = commands.add_parser("resume", help="go on with features that were stopped")
        resume.add_argument("features", help="their name or id")
        for command in (import_, make):
            command.add_argument("--name", required=True)
            command.add_argument("--owner", help="username of its owner; without one it is shared")
            command.add_argument("--shared", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            getattr(self, f"_{options['action']}")(options)
        except (ValidationError, FormatError) as error:
            words = error.messages if isinstance(error, ValidationError) else [str(error)]
            raise CommandError("\n".join(words)) from error

    def _list(self, options: dict[str, Any]) -> None:
        for extractor in extractors().values():
            words = extractor.missing() or extractor.title
            self.stdout.write(f"{extractor.name} v{extractor.version}: {words}")
        for row in FeatureSet.objects.select_related("dataset", "job").order_by("pk"):
            self._tell(row)

    def _import(self, options: dict[str, Any]) -> None:
        path, dataset = options["path"], self._dataset(options)
        owner, is_shared = self._owner(options)
        if not path.exists():
            raise CommandError(f"{path} is not there")
        request = FeaturesRequest(options["name"], options["seconds_per_row"], is_shared)
        with shown_while("Reading the files", self.stderr):
            feature_set = import_features(
                dataset=dataset, request=request, path=path, key=options["key"], actor=owner
            )
        self._tell(feature_set)

    def _make(self, options: dict[str, Any]) -> None:
        owner, is_shared = self._owner(options)
        arguments = {
            "dataset": self._dataset(options),
            "name": options["name"],
            "extractor": options["extractor"],
            "is_shared": is_shared,
            "actor": owner,
        }
        if options["queue"]:
            self._tell(launch.launch_features(**arguments))
            return
        self._work(*start_features(**arguments))

    def _resume(self, options: dict[str, Any]) -> None:
        name = options["features"]
        feature_set = FeatureSet.objects.filter(Q(public_id=name) | Q(name=name)).first()
        if feature_set is None:
            raise CommandError(f"there are no features {name!r}")
        self._work(feature_set, resume_features(feature_set=feature_set, actor=None))

    def _work(self, feature_set: FeatureSet, job_ids: Sequence[int]) -> None:
        """Compute here, with the progress on a terminal."""
        at_work = LongWork("features", "rows", self.stderr)
        with at_work.shown():
            make_features(job_ids=job_ids, watch=at_work.watch)
        feature_set = FeatureSet.objects.select_related("dataset", "job").get(pk=feature_set.pk)
        try:
            if feature_set.finished_at is None:
                at_work.check()
        except CancelledError as error:
            words = f"{error}. `features resume {feature_set.public_id}` goes on with it."
            raise CommandError(words, returncode=at_work.stopped_error(error).returncode) from error
        self._tell(feature_set)
        for note in feature_set.notes:
            self.stderr.write(note)
        if feature_set.job is not None and feature_set.job.error:
            raise CommandError(feature_set.job.error)

    def _dataset(self, options: dict[str, Any]) -> Dataset:
        name = options["dataset"]
        by_name = Dataset.objects.filter(name=name).first()
        dataset = by_name or Dataset.objects.filter(public_id=name).first()
        if dataset is None:
            raise CommandError(f"there is no data set {name!r}")
        return dataset

    def _owner(self, options: dict[str, Any]) -> tuple[User | None, bool]:
        if not options["owner"]:
            return None, True
        owner = User.objects.filter(username=options["owner"]).first()
        if owner is None:
            raise CommandError(f"There is no account {options['owner']!r}.")
        return owner, options["shared"]

    def _tell(self, row: FeatureSet) -> None:
        words = f"{row.arrays.count()} arrays of {row.width}, {row.seconds_per_row:g} s per row"
        where = f"of {row.dataset.name}, {row.made_by}, {state_of(row)}"
        self.stdout.write(f"{row.public_id} {row.name} {where}: {words}, {row.content_hash}")
