"""Print cost and precision of an audit, estimated from a round; or only who shares traces."""

import json
from argparse import ArgumentParser
from datetime import date
from typing import Any

import numpy as np
from django.core.management.base import CommandError
from django.utils import timezone

from annotation.analytics.raters.planner import TRACE_COUNTS, workload
from annotation.engine.campaigns.allocation import allocate, meeting_spread, meetings
from annotation.engine.counting import counted
from annotation.management.command import CommandWithoutPages
from annotation.management.shown_work import shown_while
from annotation.models import Campaign, Round
from annotation.selectors.figures.audit_plans import MetricPlan, metric_plan, pilot_of
from annotation.selectors.figures.rater_figures import rater_data
from annotation.services.campaigns.rounds import DEFAULT_OVERLAP

DEFAULT_RATERS, DEFAULT_TRACES = 5, 50
DEFAULT_HOURS, DEFAULT_ALPHA = 5.0, 0.667


class Command(CommandWithoutPages):
    help = "Hours, end date and interval widths of an audit, estimated from a round with ratings."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--campaign", help="name of the campaign whose round is the pilot")
        parser.add_argument("--round", type=int, help="its number; else the latest with answers")
        parser.add_argument("--raters", type=int, default=DEFAULT_RATERS)
        parser.add_argument("--overlap", type=int, default=DEFAULT_OVERLAP, help="raters per trace")
        parser.add_argument("--traces", type=int, default=DEFAULT_TRACES)
        parser.add_argument("--events-per-trace", type=float, help="else the pilot's")
        parser.add_argument("--minutes", type=float, help="minutes per event; else the pilot's")
        parser.add_argument("--hours-per-week", type=float, default=DEFAULT_HOURS)
        parser.add_argument("--start", type=date.fromisoformat, help="YYYY-MM-DD; else today")
        parser.add_argument("--alpha", type=float, default=DEFAULT_ALPHA, help="alpha to be shown")
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument(
            "--meetings", action="store_true", help="only print how many traces every two share"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: object, **options: Any) -> None:
        _check(options)
        if options["meetings"]:
            return self._print_meetings(options)
        if not options["campaign"]:
            raise CommandError("Name a campaign with --campaign, or ask for --meetings alone.")
        round_ = _round(options["campaign"], options["round"])
        data = rater_data(round_)
        pilot = pilot_of(data)
        minutes = options["minutes"] or pilot.minutes_per_event
        per_trace = options["events_per_trace"] or pilot.events_per_trace
        events = round(options["traces"] * per_trace) if per_trace else None
        work = None
        if minutes and events:
            work = workload(
                minutes,
                events=events,
                overlap=options["overlap"],
                raters=options["raters"],
                hours_per_week=options["hours_per_week"],
                starts_on=options["start"] or timezone.localdate(),
            )
        plans = []
        with shown_while("Reading the answers", self.stderr, things="metrics") as shown:
            for place, item in enumerate(data.answers):
                shown.watch(place, len(data.answers))
                plans.append(metric_plan(item, seed=options["seed"], alpha=options["alpha"]))
        if options["json"]:
            content = {
                "campaign": round_.campaign.name,
                "round": round_.number,
                "minutes_per_event": minutes,
                "events": events,
                "hours": work and work.hours,
                "hours_per_rater": work and work.hours_per_rater,
                "ends_on": work and work.ends_on and work.ends_on.isoformat(),
                "metrics": [plan.to_dict() for plan in plans],
            }
            return self.stdout.write(json.dumps(content, ensure_ascii=False, allow_nan=False))
        self.stdout.write(f"{round_.campaign.name}, round {round_.number}")
        if work is None or events is None:
            self.stdout.write("No times are known: give --minutes and --events-per-trace.")
        else:
            self.stdout.write(
                f"{counted(options['traces'], 'trace')}, {counted(events, 'event')},"
                f" {counted(options['overlap'], 'rater')} each,"
                f" {minutes:.1f} minutes per event: {work.hours:.1f} hours,"
                f" {work.hours_per_rater:.1f} for each of {options['raters']}"
                + (f", until {work.ends_on}" if work.ends_on else "")
            )
        for plan in plans:
            self._print_widths(plan, options["alpha"])

    def _print_widths(self, plan: MetricPlan, alpha: float) -> None:
        self.stdout.write("")
        heads = "".join(f"{count:>8}" for count in TRACE_COUNTS)
        self.stdout.write(f"{plan.definition.title}: width of the interval by traces")
        self.stdout.write(f"raters{heads}")
        for overlap in dict.fromkeys(item.overlap for item in plan.widths):
            row = [item for item in plan.widths if item.overlap == overlap]
            if row[0].reason and all(item.reason == row[0].reason for item in row):
                self.stdout.write(f"{overlap:>6}  {row[0].reason}")
                continue
            cells = ("-" if item.width is None else f"{item.width:.2f}" for item in row)
            self.stdout.write(f"{overlap:>6}" + "".join(f"{cell:>8}" for cell in cells))
        if plan.required_units is not None:
            self.stdout.write(
                f"closed form, alpha above {alpha:g}, rarest value {plan.rarest_share:.0%}:"
                f" {np.ceil(plan.required_units):.0f} units"
            )

    def _print_meetings(self, options: dict[str, Any]) -> None:
        raters = list(range(1, options["raters"] + 1))
        plan = allocate(
            raters_by_trace=dict.fromkeys(range(options["traces"]), ()),
            raters=raters,
            movable={},
            overlap=options["overlap"],
            rng=np.random.default_rng(options["seed"]),
        )
        holders: dict[int, set[int]] = {}
        for trace, rater in plan.added:
            holders.setdefault(trace, set()).add(rater)
        table = meetings(holders.values(), raters)
        if options["json"]:
            return self.stdout.write(json.dumps({"raters": raters, "meetings": table.tolist()}))
        self.stdout.write("       " + "".join(f"{rater:>6}" for rater in raters))
        for rater, counts in zip(raters, table, strict=True):
            cells = ("-" if other == rater else str(n) for other, n in zip(raters, counts))  # noqa: B905
            self.stdout.write(f"{rater:>6} " + "".join(f"{cell:>6}" for cell in cells))
        self.stdout.write(f"spread {meeting_spread(table)}")


def _check(options: dict[str, Any]) -> None:
    for name, least in (("raters", 1), ("overlap", 1), ("traces", 1), ("seed", 0)):
        if options[name] < least:
            raise CommandError(f"--{name} is {options[name]}; expected {least} or more")
    if not 0 <= options["alpha"] < 1:
        raise CommandError(f"--alpha is {options['alpha']}; expected 0 to below 1")


def _round(campaign: str, number: int | None) -> Round:
    rounds = Round.objects.filter(campaign__name=campaign).order_by("number")
    round_ = rounds.filter(number=number).first() if number is not None else None
    if number is None:
        rated = rounds.filter(assignments__ratings__isnull=False).distinct()
        round_ = rated.last() or rounds.last()
    if round_ is not None:
        return round_
    names = ", ".join(Campaign.objects.order_by("name").values_list("name", flat=True)) or "none"
    if not Campaign.objects.filter(name=campaign).exists():
        raise CommandError(f"There is no campaign {campaign!r}. These exist: {names}.")
    numbers = ", ".join(str(item.number) for item in rounds) or "none"
    raise CommandError(f"{campaign!r} has no round {number}; its rounds: {numbers}.")
