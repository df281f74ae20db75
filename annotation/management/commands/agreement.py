"""Print how far the raters of a data set agree, metric by metric."""

import json
from argparse import ArgumentParser
from collections.abc import Iterable
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.analytics.report import RESAMPLES, ReportRow, build_report
from annotation.engine.rubric import current_rubric
from annotation.models import Campaign, Dataset
from annotation.selectors.report import ReportScope, report_inputs, report_scope
from annotation.selectors.rounds import latest_seed

HEADER = ("metric", "level", "alpha", "95% interval", "units", "raters", "ratings", "missing")


class Command(BaseCommand):
    help = "Krippendorff's alpha and the aggregate of each metric: agreement --dataset NAME."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dataset", required=True, help="name of the data set")
        parser.add_argument("--campaign", help="only this campaign's ratings")
        parser.add_argument(
            "--submitted-only", action="store_true", help="leave out assignments not submitted"
        )
        parser.add_argument(
            "--with-informed",
            action="store_true",
            help="count answers of people who could see the sources before, too",
        )
        parser.add_argument(
            "--seed", type=int, help="seed of the bootstrap intervals; else the campaign's, or 0"
        )
        parser.add_argument("--json", action="store_true", help="print a JSON list of objects")

    def handle(self, *args: object, **options: Any) -> None:
        scope = _scope(options)
        seed = options["seed"]
        if seed is None:
            # The one that page and API use.
            seed = latest_seed(scope.campaigns.get()) if options["campaign"] else 0
        if seed < 0:
            raise CommandError(f"--seed is {seed}; expected 0 or more")
        rows = build_report(report_inputs(scope), seed=seed, resamples=RESAMPLES)
        if options["json"]:
            shown = [row.to_dict() for row in rows]
            self.stdout.write(json.dumps(shown, ensure_ascii=False, allow_nan=False))
            return
        self.stdout.write(options["dataset"])
        self._print_table(rows)
        self.stdout.write("")
        for row in rows:
            line = f"{_title(row)}: {row.aggregate_text or 'no aggregate'}"
            self.stdout.write(line + (f" ({row.reason})" if row.reason else ""))

    def _print_table(self, rows: Iterable[ReportRow]) -> None:
        lines: list[tuple[str, ...]] = [HEADER]
        for row in rows:
            low, high = row.interval.low, row.interval.high
            cells = (
                _title(row),
                row.level.value,
                "-" if row.alpha is None else f"{row.alpha:.3f}",
                "-" if low is None or high is None else f"{low:.3f} to {high:.3f}",
                *(f"{count:,}" for count in (row.units, row.raters, row.ratings, row.missing)),
            )
            lines.append(cells)
        widths = [max(len(line[column]) for line in lines) for column in range(len(HEADER))]
        for line in lines:
            shown = [line[0].ljust(widths[0]), line[1].ljust(widths[1])]
            shown += [cell.rjust(width) for cell, width in zip(line[2:], widths[2:], strict=True)]
            self.stdout.write("  ".join(shown).rstrip())


def _scope(options: dict[str, Any]) -> ReportScope:
    try:
        return report_scope(
            None,
            dataset=options["dataset"],
            campaign=options["campaign"] or None,
            is_submitted_only=options["submitted_only"],
            has_informed=options["with_informed"],
        )
    except Dataset.DoesNotExist as error:
        known = ", ".join(Dataset.objects.values_list("name", flat=True)) or "none"
        raise CommandError(
            f"There is no data set {options['dataset']!r}. These exist: {known}."
        ) from error
    except Campaign.DoesNotExist as error:
        known = ", ".join(Campaign.objects.order_by("name").values_list("name", flat=True))
        raise CommandError(
            f"There is no campaign {options['campaign']!r}. These exist: {known or 'none'}."
        ) from error


def _title(row: ReportRow) -> str:
    return current_rubric().definition(row.metric).title
