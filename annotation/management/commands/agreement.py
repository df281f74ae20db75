"""Print how far raters agree, metric by metric and round by round."""

import json
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, fields, replace
from itertools import groupby
from typing import Any

from django.core.management.base import CommandError
from django.db.models import QuerySet

from annotation.analytics.agreement.comparisons import Comparison, compare_all
from annotation.analytics.agreement.intervals import Interval, Method
from annotation.analytics.agreement.metric_ratings import Basis, MetricRatings
from annotation.analytics.agreement.planned import mark_rows
from annotation.analytics.agreement.report import ReportRow, build_report
from annotation.engine.counting import counted
from annotation.engine.csv_cells import csv_lines
from annotation.engine.rubric.rubric import Metric, current_rubric
from annotation.management.command import CommandWithoutPages
from annotation.management.paper_tables import add_table_arguments, tables_text
from annotation.management.shown_work import shown_while
from annotation.models import Campaign, Dataset, Phase, Round
from annotation.selectors.campaigns.protocol import filed_plans
from annotation.selectors.figures.figures import interim_figures, with_alpha
from annotation.selectors.figures.report import (
    Grouping,
    ReportScope,
    report_dataset,
    report_inputs,
    report_rounds,
)
from annotation.selectors.figures.who_is_right import (
    LikelyAnswer,
    WhoIsRight,
    interim_looks,
    who_is_right,
)
from annotation.services.figures.interim_looks import note_interim_looks

HEADER = (
    "metric", "level", "alpha", "95% interval", "by", "clusters", "undefined", "units", "raters",
    "ratings", "missing",
)  # fmt: skip
BESIDE_HEADER = (
    "metric", "agree", "pooled", "AC", "Fleiss", "kappa", "without implied", "without one rater",
    "commonest",
)  # fmt: skip
KINDS_HEADER = (
    "events", "alpha", "95% interval", "by", "units", "with two raters", "ratings", "why not",
)  # fmt: skip
COMPARED_HEADER = (
    "metric", "first", "second", "difference", "95% interval", "by", "p", "corrected",
)  # fmt: skip


class Command(CommandWithoutPages):
    help = (
        "Krippendorff's alpha and other coefficients: agreement --dataset NAME or "
        "--campaign NAME, one table per round."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dataset", help="name of the data set")
        parser.add_argument("--campaign", help="only this campaign's ratings")
        parser.add_argument("--round", type=int, help="only rounds of this number")
        parser.add_argument("--phase", choices=Phase.values, help="only rounds of this phase")
        parser.add_argument(
            "--by",
            choices=list(Grouping),
            default=Grouping.ROUND,
            help="one table per round, per guideline version, or one of all rounds pooled",
        )
        parser.add_argument(
            "--coefficients", choices=["headline", "all"], default="headline",
            help="which coefficients the text shows beside alpha; JSON always has all",
        )  # fmt: skip
        parser.add_argument(
            "--compare", nargs=2, metavar=("FIRST", "SECOND"),
            help="differences of alpha between two data sets instead",
        )  # fmt: skip
        parser.add_argument(
            "--before-after", nargs=2, type=int, metavar=("ROUND", "ROUND"),
            help="differences of alpha between two rounds of a data set instead",
        )  # fmt: skip
        parser.add_argument(
            "--submitted-only", action="store_true", help="leave out assignments not submitted"
        )
        parser.add_argument(
            "--with-informed",
            action="store_true",
            help="count answers of people who could see the sources before, too",
        )
        parser.add_argument(
            "--seed", type=int, help="seed of the bootstrap intervals; else that of each round"
        )
        parser.add_argument(
            "--who-is-right", action="store_true",
            help="the likeliest answer to each event by Dawid and Skene's model, as CSV; --json has"
            " also how often each rater gives which value",
        )  # fmt: skip
        parser.add_argument("--json", action="store_true", help="print a JSON list of objects")
        add_table_arguments(parser)

    def handle(self, *args: object, **options: Any) -> None:
        seed = options["seed"]
        if seed is not None and seed < 0:
            raise CommandError(f"--seed is {seed}; expected 0 or more")
        if options["compare"] or options["before_after"]:
            with shown_while("Comparing", self.stderr):
                pairs = list(_pairs(options))
                comparisons = compare_all(pairs, seed=seed or 0)
            rounds = report_rounds(None, campaign=options["campaign"] or None)
            _note_looks(rounds, _sides_with_alpha(pairs, comparisons))
            if options["json"]:
                return self._print_json([item.to_dict() for item in comparisons])
            return self._print_comparisons(comparisons)
        if options["tables"] and not (options["dataset"] or options["campaign"]):
            return self.stdout.write(tables_text(options))
        scopes = list(_scopes(options))
        inputs = (item for scope in scopes for item in report_inputs(scope))
        if options["who_is_right"]:
            with shown_while("Fitting the model of the raters", self.stderr):
                found = who_is_right(inputs, seed=seed)
            shown = {(item.dataset, item.rounds, item.metric) for item in found.answers}
            for scope in scopes:
                own = (item for item in shown if item[0] == scope.dataset.name)
                note_interim_looks(looks=interim_looks(scope.rounds, own), person=None)
            return self._print_who_is_right(found, options["json"])
        with shown_while("Computing agreement", self.stderr):
            report = build_report(inputs, seed=seed)
        round_ids = {pk for scope in scopes for pk in scope.rounds.values_list("pk", flat=True)}
        rows = mark_rows(report, filed_plans(round_ids))
        _note_looks(Round.objects.filter(pk__in=round_ids), with_alpha(rows))
        if options["tables"]:
            return self.stdout.write(tables_text(options, rows, scopes))
        if options["json"]:
            return self._print_json([row.to_dict() for row in rows])
        for (dataset, basis), group in groupby(rows, key=lambda row: (row.dataset, row.basis)):
            self._print_report(dataset, basis, list(group), options["coefficients"])

    def _print_json(self, rows: list[dict[str, Any]]) -> None:
        self.stdout.write(json.dumps(rows, ensure_ascii=False, allow_nan=False))

    def _print_who_is_right(self, found: WhoIsRight, is_json: bool) -> None:
        for reason in found.reasons:
            self.stderr.write(f"{reason}.")
        if is_json:
            return self.stdout.write(json.dumps(asdict(found), ensure_ascii=False))
        header = [item.name for item in fields(LikelyAnswer)]
        rows = [[getattr(row, name) for name in header] for row in found.answers]
        self.stdout.write("".join(csv_lines([header, *rows])), ending="")

    def _print_report(self, dataset: str, basis: Basis, rows: list[ReportRow], shown: str) -> None:
        campaign = f", {basis.campaign}" if basis.campaign else ""
        self.stdout.write(f"{dataset}{campaign}: {basis.text}")
        self._print_table(HEADER, map(_report_cells, rows))
        self.stdout.write("")
        self._print_table(BESIDE_HEADER, map(_beside_cells, rows))
        self.stdout.write("")
        if kinds := [cells for row in rows for cells in _kind_cells(row)]:
            self._print_table(KINDS_HEADER, kinds)
            self.stdout.write("")
        if shown == "all":
            names = list(asdict(rows[0].coefficients))
            header = ("metric", *(name.replace("_", " ") for name in names))
            self._print_table(
                header,
                (
                    (_title(row), *(_number(getattr(row.coefficients, name)) for name in names))
                    for row in rows
                ),
            )
            self.stdout.write("")
        for row in rows:
            line = f"{_title(row)}: {row.aggregate_text or 'no aggregate'}"
            reasons = [row.reason, "" if row.alpha is None else row.interval.reason]
            if row.is_exploratory:
                reasons.append("exploratory: the filed protocol does not name it")
            remarks = "; ".join(filter(None, reasons))
            self.stdout.write(line + (f" ({remarks})" if remarks else ""))
            for note in filter(None, (_composite(row), row.beside.note)):
                self.stdout.write(f"  {note}")
        self.stdout.write("")

    def _print_comparisons(self, comparisons: Sequence[Comparison]) -> None:
        for (dataset, first, second, basis), group in groupby(
            comparisons, key=lambda item: (item.dataset, item.first, item.second, item.basis)
        ):
            items = list(group)
            self.stdout.write(f"{dataset}: " * bool(dataset) + f"{first} less {second}, {basis}")
            self._print_table(COMPARED_HEADER, map(_comparison_cells, items))
            self.stdout.write("")
            for item in items:
                if reason := item.reason or item.interval.reason:
                    self.stdout.write(f"{_title(item)}: {reason}")
            self.stdout.write("")
        if comparisons:
            family = counted(comparisons[0].family_size, "difference")
            self.stdout.write(f"p is corrected for {family} (Benjamini and Hochberg).")

    def _print_table(self, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        lines = [tuple(header), *map(tuple, rows)]
        widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
        for line in lines:
            shown = [line[0].ljust(widths[0])]
            shown += [cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)]
            self.stdout.write("  ".join(shown).rstrip())


def _note_looks(rounds: QuerySet[Round], shown: Iterable[ReportRow | MetricRatings]) -> None:
    looks = interim_figures(rounds.select_related("campaign"), shown)
    note_interim_looks(looks=looks, person=None)


def _sides_with_alpha(
    pairs: Iterable[tuple[MetricRatings, MetricRatings]], comparisons: Iterable[Comparison]
) -> Iterator[MetricRatings]:
    for (first, second), compared in zip(pairs, comparisons, strict=True):
        if compared.first_alpha is not None:
            yield first
        if compared.second_alpha is not None:
            yield second


def _scopes(options: dict[str, Any]) -> Iterator[ReportScope]:
    """The scope of each data set that the options name.

    Rounds in which nobody has rated a data set yet are left out where others have ratings.
    """
    if options["dataset"]:
        datasets = [_dataset(options["dataset"])]
    elif options["campaign"]:
        _rounds(options)
        datasets = list(
            Dataset.objects.filter(campaigns__name=options["campaign"]).order_by("name")
        )
    else:
        raise CommandError("Name a data set or a campaign: --dataset NAME or --campaign NAME.")
    for dataset in datasets:
        scope = _scope(options, dataset)
        rated = scope.rounds.filter(
            assignments__ratings__isnull=False, assignments__trace__dataset=dataset
        ).distinct()
        is_narrowed = options["dataset"] and not options["campaign"] and rated.exists()
        yield replace(scope, rounds=rated) if is_narrowed else scope


def _scope(options: dict[str, Any], dataset: Dataset, *, number: int | None = None) -> ReportScope:
    return ReportScope(
        dataset=dataset,
        rounds=_rounds(options, number=number),
        grouping=Grouping(options["by"]),
        is_submitted_only=options["submitted_only"],
        has_informed=options["with_informed"],
    )


def _pairs(options: dict[str, Any]) -> Iterator[tuple[MetricRatings, MetricRatings]]:
    """What is to be compared, metric by metric."""
    if options["before_after"]:
        scopes = list(_scopes(options))
        numbers = options["before_after"]
        sides = [
            [_scope(options, scope.dataset, number=number) for scope in scopes]
            for number in numbers
        ]
    else:
        sides = [[_scope(options, _dataset(name))] for name in options["compare"]]
    for first, second in zip(*sides, strict=True):
        of_metric = {item.metric: item for item in _of_one_basis(second)}
        for item in _of_one_basis(first):
            if item.metric in of_metric:
                yield item, of_metric[item.metric]


def _of_one_basis(scope: ReportScope) -> list[MetricRatings]:
    inputs = list(report_inputs(scope))
    if len({(item.basis.campaign, item.basis.rounds) for item in inputs}) > 1:
        raise CommandError(
            f"{scope.dataset.name} was rated in several rounds; say which with --campaign and "
            "--round or --phase, or pool them with --by pooled."
        )
    return inputs


def _rounds(options: dict[str, Any], *, number: int | None = None) -> QuerySet[Round]:
    try:
        rounds = report_rounds(
            None,
            campaign=options["campaign"] or None,
            number=options["round"] if number is None else number,
            phase=options["phase"],
        )
    except Campaign.DoesNotExist as error:
        names = ", ".join(Campaign.objects.order_by("name").values_list("name", flat=True))
        raise CommandError(
            f"There is no campaign {options['campaign']!r}. These exist: {names or 'none'}."
        ) from error
    is_chosen = number is not None or options["round"] is not None or options["phase"]
    if is_chosen and not rounds.exists():
        wanted = number if number is not None else options["round"]
        words = " and ".join(
            filter(None, (f"number {wanted}" if wanted is not None else "",
                          f"phase {options['phase']}" if options["phase"] else ""))
        )  # fmt: skip
        raise CommandError(f"There is no round with {words}.")
    return rounds


def _dataset(name: str) -> Dataset:
    try:
        return report_dataset(None, name)
    except Dataset.DoesNotExist as error:
        names = ", ".join(Dataset.objects.values_list("name", flat=True)) or "none"
        raise CommandError(f"There is no data set {name!r}. These exist: {names}.") from error


def _report_cells(row: ReportRow) -> tuple[str, ...]:
    interval = row.interval
    undefined = f"{100 * interval.undefined_share:.1f}%" if interval.draws else "-"
    return (
        _title(row),
        row.level.value,
        _number(row.alpha),
        _ends(interval),
        interval.method.value,
        f"{interval.clusters:,} {row.cluster_unit}s",
        undefined,
        *(f"{count:,}" for count in (row.units, row.raters, row.ratings, row.missing)),
    )


def _comparison_cells(item: Comparison) -> tuple[str, ...]:
    return (
        _title(item),
        _number(item.first_alpha),
        _number(item.second_alpha),
        _number(item.difference),
        _ends(item.interval),
        item.interval.method.value,
        _number(item.p_value),
        _number(item.corrected_p),
    )


def _beside_cells(row: ReportRow) -> tuple[str, ...]:
    beside = row.beside
    without_one = "-"
    if beside.lowest_without_one is not None:
        without_one = f"{beside.lowest_without_one:.3f} to {beside.highest_without_one:.3f}"
    commonest = "-"
    if beside.prevalence is not None:
        commonest = f"{beside.commonest} {beside.prevalence:.0%}"
    name = "" if row.coefficient is None else f"{row.coefficient_name} "
    return (
        _title(row),
        _number(row.coefficients.percent_agreement),
        _number(row.coefficients.percent_agreement_pooled),
        f"{name}{_number(row.coefficient)}",
        _number(row.coefficients.fleiss_kappa),
        _number(row.kappa),
        _number(beside.without_implied),
        without_one,
        commonest,
    )


def _kind_cells(row: ReportRow) -> Iterator[tuple[str, ...]]:
    """Mistakes and corrections apart, where there are both."""
    for words, kind in row.kinds.items():
        yield (
            f"{_title(row)}, {words}",
            _number(kind.alpha),
            _ends(kind.interval),
            kind.interval.method.value,
            *(f"{count:,}" for count in (kind.units, kind.paired_units, kind.ratings)),
            kind.reason or kind.interval.reason or "-",
        )


def _composite(row: ReportRow) -> str:
    """The composite of the published script in words, where a row has it."""
    if row.logic is None or row.logic.polarity is None:
        return ""
    logic = row.logic
    return (
        f"composite {_number(logic.composite)} (weight .7 as in the published script) "
        f"of answers {_number(logic.polarity)} and confidences {_number(logic.confidence)}: "
        f"broken {_number(logic.confidence_yes)} of {logic.n_yes}, "
        f"intact {_number(logic.confidence_no)} of {logic.n_no}; "
        f"signed ordinal alpha {_number(logic.signed_ordinal)}"
    )


def _ends(interval: Interval) -> str:
    if interval.method is Method.NONE:
        return "-"
    return f"{interval.low:.3f} to {interval.high:.3f}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _title(item: ReportRow | Comparison) -> str:
    metric: Metric = item.metric
    return current_rubric().definition(metric).title
