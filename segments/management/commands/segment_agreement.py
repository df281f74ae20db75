"""Print the figures of rounds of segments, each round in a table of its own."""

import json
from argparse import ArgumentParser
from collections.abc import Mapping
from itertools import groupby
from typing import Any

from django.core.management.base import CommandError

from annotation.engine.csv_cells import csv_lines
from annotation.management.command import CommandWithoutPages
from annotation.management.shown_work import shown_while
from segments.management.rounds import add_round_arguments, opened_rounds
from segments.measures.report import FigureRow, Revision, csv_rows
from segments.selectors.figures import about_round, revision_of, round_figures
from segments.selectors.reading import MixedSchemesError
from segments.services.looks import note_segment_look


class Command(CommandWithoutPages):
    help = (
        "Agreement, corrections, answers, coverage and effort of rounds of segments:"
        " segment_agreement --campaign NAME [--round N] [--against N]."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_round_arguments(parser)
        parser.add_argument(
            "--against", type=int, help="an earlier round, on whose recordings --round worked again"
        )
        parser.add_argument(
            "--revision",
            choices=[item.name.lower() for item in Revision],
            default=Revision.FIRST.name.lower(),
            help="what each person first submitted (first), or the finished work as it is now",
        )
        form = parser.add_mutually_exclusive_group()
        form.add_argument("--json", action="store_true", help="print a JSON list of rounds")
        form.add_argument("--csv", action="store_true", help="print a row for each figure")

    def handle(self, *args: object, **options: Any) -> None:
        rounds = opened_rounds(options)
        against = None
        if options["against"] is not None:
            if options["round"] is None:
                raise CommandError("--against needs --round, the round to compare it with.")
            [against] = opened_rounds({**options, "round": options["against"]})
        revision = revision_of(options["revision"])
        reports = []
        with shown_while("Reading the rounds", self.stderr, things="rounds") as shown:
            for place, round_ in enumerate(rounds):
                shown.watch(place, len(rounds))
                source = round_.segments.source_round if round_.segments.has_locked_edges else None
                beside = against or source
                try:
                    reports.append((round_, beside, round_figures(round_, beside, revision)))
                except MixedSchemesError as error:
                    raise CommandError(str(error)) from error
        for round_, _, figures in reports:
            note_segment_look(round_=round_, rows=figures.rows, person=None)
        if options["json"]:
            document = [
                about_round(round_, beside, revision)
                | {"figures": [row.to_dict() for row in figures.rows]}
                for round_, beside, figures in reports
            ]
            return self.stdout.write(json.dumps(document, indent=1, ensure_ascii=False))
        for place, (round_, beside, figures) in enumerate(reports):
            if options["csv"]:
                rows = list(csv_rows(figures.rows, about_round(round_, beside, revision)))
                for line in csv_lines(rows[min(place, 1) :]):
                    self.stdout.write(line, ending="")
            else:
                self._print(about_round(round_, beside, revision), figures.rows)
        return None

    def _print(self, about: Mapping[str, str | int], rows: tuple[FigureRow, ...]) -> None:
        beside = about["against_round"]
        words_beside = f", beside round {beside}" if beside else ""
        self.stdout.write(
            f"{about['campaign']}, round {about['round']}{words_beside}: {about['phase']},"
            f" {about['stage']}, scheme {about['scheme']} {about['scheme_version']},"
            f" guideline {about['guideline']},"
            f" {about['revision']}"
        )
        if not rows:
            self.stdout.write("  nothing is finished yet")
        for (part, track, split, of), own in groupby(
            rows, key=lambda row: (row.part, row.track, row.split, row.of)
        ):
            words = [part.value, track, "" if split == "all" else split.value, of]
            self.stdout.write("\n  " + ", ".join(filter(None, words)))
            for row in own:
                summary = row.summary
                if summary.value is None:
                    shown = f"- ({summary.reason})"
                elif summary.interval.low is None or summary.interval.high is None:
                    shown = f"{summary.value:.4f} ({summary.interval.reason})"
                else:
                    ends = f"[{summary.interval.low:.4f}, {summary.interval.high:.4f}]"
                    shown = f"{summary.value:.4f} {ends}"
                self.stdout.write(
                    f"    {row.name:30}{shown}  n={summary.n}, recordings={summary.recordings}"
                )
        self.stdout.write("")
