"""Where imported ratings belong: the accounts, rounds and assignments of their raters."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

from django.db.models import Count, Max
from django.utils import timezone

from annotation.engine.campaigns.account_names import mixed_alphabets
from annotation.engine.corpus.formats.errors import FormatError
from annotation.engine.corpus.step_words import StepWords
from annotation.engine.csv_cells import is_missing, whole_number
from annotation.engine.ratings.table import RatingRow
from annotation.engine.rubric.rubric import IMPORTED_VERSION
from annotation.models import (
    Assignment,
    Campaign,
    CampaignRater,
    CampaignState,
    GuidelineVersion,
    Purpose,
    RatingRound,
    Role,
    Round,
    RoundRater,
    User,
)
from annotation.models.round_kinds import RATINGS
from annotation.selectors.campaigns.campaigns import may_change_campaign
from annotation.services.ratings.imports.targets import Target

IMPORTED_CAMPAIGN = "Imported ratings (guideline {})"
IMPORTED_CAMPAIGN_OF_RUBRIC = "Imported ratings (guideline {}, rubric {})"
# What the guideline version of a round is called whose ratings were given under nobody knows which.
UNKNOWN_VERSION = "unknown"
BATCH_ROWS = 1000

# The trace, its rater, why they have it, the versions of guideline and rubric, and the number of
# the round; empty or None if not known.
PlaceKey = tuple[int, int, str, str, str, int | None]


@dataclass(frozen=True, slots=True)
class PlacedRow:
    """One row of a table, and where its answer belongs."""

    target: Target
    assignment: Assignment

    @property
    def row(self) -> RatingRow:
        return self.target.row


def place_targets(
    targets: Sequence[Target], *, campaign_name: str | None, actor: User | None
) -> tuple[list[PlacedRow], list[str]]:
    """The rows with their places, and the names of raters who got an account.

    Makes the accounts, campaigns, rounds and assignments that are missing. `actor` gets at no
    campaign of others; None is the command line. Raises `FormatError` where the campaign that is
    named cannot take the rows, or no account may have the name of a rater.
    """
    targets = _with_stored_versions(targets)
    names = {item.row.rater for item in targets}
    raters: dict[str, User] = dict(User.objects.in_bulk(sorted(names), field_name="username"))
    new_raters = sorted(names - set(raters))
    # Names like “+1” come from tables of sites where they were allowed; they are only shown.
    if strange := [name for name in new_raters if mixed_alphabets(name)]:
        first_rows = {item.row.rater: item for item in reversed(targets)}
        expected = "a name in letters of one alphabet"
        raise FormatError([first_rows[name].problem("rater", name, expected) for name in strange])
    for name in new_raters:
        raters[name] = User(username=name, role=Role.ANNOTATOR, taken_in_by=actor)
        raters[name].set_unusable_password()
        raters[name].save()
    first_targets: dict[PlaceKey, Target] = {}
    keys = []
    for item in targets:
        row = item.row
        key = (
            item.trace.pk, raters[row.rater].pk, row.purpose, row.guideline_version,
            row.rubric_version, row.round,
        )  # fmt: skip
        first_targets.setdefault(key, item)
        keys.append(key)
    assignments = _assignments(first_targets, campaign_name=campaign_name, actor=actor)
    placed = [PlacedRow(item, assignments[key]) for item, key in zip(targets, keys, strict=True)]
    return placed, new_raters


def _with_stored_versions(targets: Sequence[Target]) -> list[Target]:
    """The rows with guideline versions as they are spelled here, "" for none.

    A program that took a version for a number wrote "3.0" for "3".
    """
    versions = set(GuidelineVersion.objects.values_list("name", flat=True)) - {UNKNOWN_VERSION}

    def spelling(text: str) -> str:
        if text in versions:
            return text
        number = whole_number(text)
        if number is not None and str(number) in versions:
            return str(number)
        return "" if is_missing(text) or text == UNKNOWN_VERSION else text

    spelled = {text: spelling(text) for text in {item.row.guideline_version for item in targets}}
    return [
        replace(item, row=replace(item.row, guideline_version=spelled[text]))
        if spelled[text] != text
        else item
        for item in targets
        for text in [item.row.guideline_version]
    ]


def _existing(
    places: dict[PlaceKey, Target], *, campaign_name: str | None, actor: User | None
) -> dict[PlaceKey, Assignment]:
    """The assignments that exist, of campaigns that the actor may change."""
    assignments = Assignment.objects.filter(
        trace__dataset__in={item.trace.dataset_id for item in places.values()}
    ).select_related("round__campaign", "round__guideline", "round__ratings", "trace")
    if campaign_name is not None:
        assignments = assignments.filter(round__campaign__name=campaign_name)
    if actor is not None and not actor.is_administrator:
        assignments = assignments.filter(round__campaign__owner=actor)
    existing: dict[PlaceKey, Assignment] = {}
    # The oldest round wins, so that the same file always finds the same place.
    for assignment in assignments.order_by("-round__created_at", "-round_id"):
        round_ = assignment.round
        name = round_.guideline.name
        # A campaign that is named takes answers of an unknown guideline too.
        guidelines = {name, ""} if campaign_name or name == UNKNOWN_VERSION else {name}
        for guideline, rubric, number in product(
            guidelines, (round_.ratings.rubric_version, ""), (round_.number, None)
        ):
            key = (
                assignment.trace_id, assignment.rater_id, assignment.purpose, guideline, rubric,
                number,
            )  # fmt: skip
            if key in places:
                existing[key] = assignment
    return existing


def _assignments(
    places: dict[PlaceKey, Target], *, campaign_name: str | None, actor: User | None
) -> dict[PlaceKey, Assignment]:
    """Each rater's assignment of each trace; those that are missing are made."""
    assignments = _existing(places, campaign_name=campaign_name, actor=actor)
    missing: dict[tuple[str, str, int | None], list[PlaceKey]] = defaultdict(list)
    for key in places:
        if key not in assignments:
            missing[key[3:]].append(key)
    for (guideline, rubric, number), keys in sorted(
        missing.items(), key=lambda item: (item[0][2] or 0, item[0])
    ):
        first = places[keys[0]]
        campaign = _campaign(guideline, rubric, first=first, name=campaign_name, actor=actor)
        round_ = _round(campaign, number, first)
        # Rows that name more or fewer versions of the same place have made these by now.
        rest = {key: places[key] for key in keys}
        assignments |= _existing(rest, campaign_name=campaign.name, actor=actor)
        new_keys = [key for key in keys if key not in assignments]
        assignments |= _new_assignments(round_, new_keys, places)
    return assignments


def _campaign(
    guideline: str, rubric: str, *, first: Target, name: str | None, actor: User | None
) -> Campaign:
    """The campaign of that name, or one named after the versions; it is made if need be."""
    wanted_name = name
    if name is None and rubric in {"", IMPORTED_VERSION}:
        name = IMPORTED_CAMPAIGN.format(guideline or UNKNOWN_VERSION)
    elif name is None:
        name = IMPORTED_CAMPAIGN_OF_RUBRIC.format(guideline or UNKNOWN_VERSION, rubric)
    existing = Campaign.objects.filter(name=name).first()
    if existing is not None and existing.kind != RATINGS:
        raise FormatError([first.problem("campaign", name, "a campaign of ratings")])
    if existing is not None and actor is not None and not may_change_campaign(actor, existing):
        if wanted_name is not None:
            expected = "a campaign of yours, or a new name"
            raise FormatError([first.problem("campaign", name, expected)])
        name = f"{name}, {actor.username}"
    campaign, _ = Campaign.objects.get_or_create(
        name=name, defaults={"state": CampaignState.MAIN, "owner": actor}
    )
    return campaign


def _round(campaign: Campaign, number: int | None, first: Target) -> Round:
    """The campaign's round of that number, or the one that was opened last.

    A campaign without rounds, or with none but imported ones, gets it. Raises `FormatError` where
    there is no such round, or its versions are not those of the row.
    """
    row = first.row
    rounds = campaign.rounds.select_related("guideline", "ratings").order_by("-number")
    opened = [item for item in rounds if item.opened_at is not None]
    round_ = next((item for item in opened if number in {None, item.number}), None)
    # Of a version that a table names only its name is known.
    if round_ is None and all(item.guideline.content_hash == "" for item in opened):
        if not opened and rounds:
            expected = f"a campaign with a round that is open; {campaign.name!r} has none yet"
            raise FormatError([first.problem("campaign", campaign.name, expected)])
        return _new_round(campaign, number, row)
    if round_ is None:
        numbers = ", ".join(str(item.number) for item in reversed(opened))
        expected = f"one of the rounds of campaign {campaign.name!r}: {numbers}"
        raise FormatError([first.problem("round", number, expected)])
    for field, version, own in (
        ("guideline_version", row.guideline_version, round_.guideline.name),
        ("rubric_version", row.rubric_version, round_.ratings.rubric_version),
    ):
        if version not in {"", own}:
            where = f"round {round_.number} of campaign {campaign.name!r}"
            raise FormatError([first.problem(field, version, f"{own!r}, the version of {where}")])
    return round_


def _new_round(campaign: Campaign, number: int | None, row: RatingRow) -> Round:
    now = timezone.now()
    last = campaign.guideline_versions.aggregate(last=Max("number"))["last"] or 0
    guideline, _ = GuidelineVersion.objects.get_or_create(
        campaign=campaign,
        name=row.guideline_version or UNKNOWN_VERSION,
        defaults={"number": last + 1, "frozen_at": now},
    )
    round_ = Round.objects.create(
        campaign=campaign, number=number or 1, guideline=guideline, overlap=1, opened_at=now
    )
    if campaign.state == CampaignState.DRAFT:
        campaign.state = CampaignState.MAIN
        campaign.save(update_fields=["state"])
    RatingRound.objects.create(
        round=round_,
        rubric_version=row.rubric_version or IMPORTED_VERSION,
        step_words=StepWords.ELSEWHERE,
    )
    return round_


def _new_assignments(
    round_: Round, keys: Sequence[PlaceKey], places: dict[PlaceKey, Target]
) -> dict[PlaceKey, Assignment]:
    raters = sorted({rater for _, rater, *_ in keys})
    CampaignRater.objects.bulk_create(
        (CampaignRater(campaign=round_.campaign, rater_id=rater) for rater in raters),
        ignore_conflicts=True,
    )
    RoundRater.objects.bulk_create(
        (RoundRater(round=round_, rater_id=rater) for rater in raters), ignore_conflicts=True
    )
    round_.campaign.datasets.add(*{places[key].trace.dataset_id for key in keys})
    round_.ratings.traces.add(*{key[0] for key in keys})
    of_round = Assignment.objects.filter(round=round_).order_by()
    ends = dict(of_round.values_list("rater").annotate(end=Max("position")))
    new = {}
    now = timezone.now()
    by_name = sorted(keys, key=lambda key: (key[1], places[key].row.dataset, places[key].row.trace))
    for key in by_name:
        rater = key[1]
        ends[rater] = ends.get(rater, -1) + 1
        first = places[key]
        new[key] = Assignment(
            round=round_,
            rater_id=rater,
            trace=first.trace,
            purpose=first.row.purpose,
            position=ends[rater],
            # It counts as begun, even where no time is known.
            started_at=first.row.rated_at or now,
            is_informed=first.row.informed,
        )
    Assignment.objects.bulk_create(new.values(), batch_size=BATCH_ROWS)
    # The overlap of a round is what the tables brought, so that it tells the truth.
    ordinary = of_round.filter(purpose=Purpose.ORDINARY)
    counts = ordinary.values("trace").annotate(raters=Count("pk")).values_list("raters", flat=True)
    if max(counts, default=0) > round_.overlap:
        round_.overlap = max(counts)
        round_.save(update_fields=["overlap"])
    return new
