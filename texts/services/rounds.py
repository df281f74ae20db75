"""Rounds of texts: handed over by whoever made the texts, opened, given out.

A text goes to one or two people. Where two differ, a third person who has not seen it decides.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from math import inf

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Count, Max, Q, QuerySet
from django.utils import timezone

from annotation.engine.campaigns.allocation import AllocationResult, queued
from annotation.engine.limits import between, up_to
from annotation.models import Campaign, Dataset, Phase, Round, RoundRater, Take, Trace, User
from annotation.services.campaigns.campaigns import NewCampaign, create_campaign
from annotation.services.campaigns.guidelines import freeze_version, new_version
from annotation.services.campaigns.rounds import (
    INSERT_BATCH,
    SEED,
    ProtocolError,
    add_round,
    record_allocation,
    share_out,
)
from annotation.services.records.audit_log import record_round
from annotation.services.records.locks import hold_datasets, hold_work, lock_campaign
from texts.engine.deciding import DECIDING_PLACE, MOST_INDEPENDENT, differ
from texts.engine.vocabulary import REVIEW, Vocabulary
from texts.models import (
    KEY_CHARACTERS,
    LABEL_CHARACTERS,
    MARGIN_S,
    MOST_MARGIN_S,
    TEXTS,
    TextItem,
    TextRound,
    TextVerdict,
)
from texts.selectors.verdicts import given_by_item

MOST_TEXTS = 100_000
# There is no gold for texts, so no training phase.
PHASES = [(phase.value, phase.label) for phase in (Phase.PILOT, Phase.MAIN)]
COLUMN_OF = {"take": "take_id", "trace": "trace_id"}


@dataclass(frozen=True, slots=True)
class TextDraft:
    """A text that somebody hands over; see `TextItem`. `take` and `trace` are primary keys."""

    source_key: str
    take: int
    text: str
    trace: int | None = None
    start_s: float | None = None
    end_s: float | None = None
    step_index: int | None = None
    answer: str = ""
    label: str = ""
    group: str = ""


@dataclass(frozen=True, slots=True)
class NewTextRound:
    """How texts are read: by how many each, with which verdicts, in whose order.

    `origin` is the maker's own name for what it hands over.
    """

    origin: str = field(metadata=up_to(100))
    vocabulary: Vocabulary = REVIEW
    phase: Phase = Phase.PILOT
    overlap: int = field(default=MOST_INDEPENDENT, metadata=between(1, MOST_INDEPENDENT))
    seed: int = field(default=0, metadata=SEED)
    is_blind_first: bool = False
    margin_s: float = field(default=MARGIN_S, metadata=between(0, MOST_MARGIN_S))


@transaction.atomic
def begin_reading(
    *,
    name: str,
    datasets: Iterable[Dataset],
    new: NewTextRound,
    drafts: Sequence[TextDraft],
    actor: User,
) -> Round:
    """A campaign of these texts with its planned round, to which people are then added.

    Raises `ValidationError` for a name that is taken, and as `plan_text_round` does.
    """
    campaign = create_campaign(
        new=NewCampaign(name=name, kind=TEXTS), actor=actor, datasets=datasets
    )
    return plan_text_round(campaign=campaign, new=new, drafts=drafts, actor=actor)


@transaction.atomic
def plan_text_round(
    *, campaign: Campaign, new: NewTextRound, drafts: Sequence[TextDraft], actor: User | None
) -> Round:
    """The planned round with its texts, which people do not see yet.

    Raises `ValidationError` that names the text, the field and what was expected.
    """
    locked = lock_campaign(campaign)
    if locked.is_closed:
        raise ProtocolError(f"{locked.name} is closed: no round can be added.")
    _check(locked, new, drafts)
    vocabulary = new.vocabulary
    guideline = locked.guideline_versions.filter(kind=TEXTS).order_by("number").last()
    if guideline is None:
        guideline = new_version(campaign=locked, actor=actor, text={"text": vocabulary.guideline})
    planned = add_round(
        locked,
        kind=TEXTS,
        phase=new.phase,
        guideline=guideline,
        overlap=new.overlap,
        seed=new.seed,
    )
    TextRound.objects.create(
        round=planned,
        vocabulary=vocabulary.to_dict(),
        origin=new.origin,
        is_blind_first=new.is_blind_first,
        margin_s=new.margin_s,
    )
    rows = (
        TextItem(round=planned, **{COLUMN_OF.get(name, name): value for name, value in item})
        for item in (asdict(draft).items() for draft in drafts)
    )
    TextItem.objects.bulk_create(rows, batch_size=INSERT_BATCH)
    members = locked.raters.order_by("pk").values_list("rater_id", flat=True)
    RoundRater.objects.bulk_create(RoundRater(round=planned, rater_id=pk) for pk in members)
    detail = {"texts": len(drafts), "verdicts": vocabulary.name}
    record_round(actor, "round.plan", planned, detail)
    return planned


def _check(campaign: Campaign, new: NewTextRound, drafts: Sequence[TextDraft]) -> None:
    _check_settings(new.vocabulary, new.margin_s)
    if not 1 <= new.overlap <= MOST_INDEPENDENT:
        raise ValidationError(f"overlap is {new.overlap}; expected 1 or {MOST_INDEPENDENT}")
    if not 1 <= len(drafts) <= MOST_TEXTS:
        raise ValidationError(f"{len(drafts):,} texts; expected 1 to {MOST_TEXTS:,}")
    takes = set(
        Take.objects.filter(
            Q(dataset__campaigns=campaign) | Q(traces__dataset__campaigns=campaign)
        ).values_list("pk", flat=True)
    )
    traces = dict(Trace.objects.filter(dataset__campaigns=campaign).values_list("pk", "take_id"))
    keys: Counter[str] = Counter(draft.source_key for draft in drafts)
    for number, draft in enumerate(drafts, start=1):
        fault = _fault_of_fields(draft)
        if keys[draft.source_key] > 1:
            fault = f"source_key is {draft.source_key!r} more than once; expected one text for each"
        elif draft.take not in takes:
            fault = "take is of no data set of the campaign"
        elif draft.trace is not None and traces.get(draft.trace) != draft.take:
            fault = "trace is none of this take in the data sets of the campaign"
        if fault:
            raise ValidationError(f"text {number}, {fault}")


def _check_settings(vocabulary: Vocabulary, margin_s: float) -> None:
    if fault := vocabulary.fault():
        raise ValidationError(fault)
    if not 0 <= margin_s <= MOST_MARGIN_S:
        raise ValidationError(f"margin_s is {margin_s}; expected 0 to {MOST_MARGIN_S:g}")


@transaction.atomic
def change_text_round(
    *, planned: Round, margin_s: float, reasons: Sequence[str], phase: Phase, actor: User | None
) -> None:
    """Set the phase, the margin of the clips and the reasons of a round that nobody reads yet.

    Raises `ProtocolError` once it was opened, and `ValidationError` that says what was expected.
    """
    lock_campaign(planned.campaign)
    about = TextRound.objects.select_related("round").get(round=planned)
    if about.round.opened_at is not None:
        raise ProtocolError(f"Round {planned.number} was opened; its verdicts and clips stay.")
    vocabulary = Vocabulary.from_dict(about.vocabulary).with_reasons(reasons)
    _check_settings(vocabulary, margin_s)
    about.vocabulary, about.margin_s = vocabulary.to_dict(), margin_s
    about.save(update_fields=["vocabulary", "margin_s"])
    about.round.phase = phase
    about.round.save(update_fields=["phase"])
    detail = {
        "phase": phase,
        "margin_s": margin_s,
        "reasons": [reason.name for reason in vocabulary.reasons],
    }
    record_round(actor, "round.change", about.round, detail)


def _fault_of_fields(draft: TextDraft) -> str:
    """What in a text alone is not as the tables want it; "" where nothing is."""
    if not draft.text.strip():
        return "text is empty; expected words"
    for name, value, most in (
        ("source_key", draft.source_key, KEY_CHARACTERS),
        ("label", draft.label, LABEL_CHARACTERS),
        ("group", draft.group, KEY_CHARACTERS),
    ):
        if len(value) > most:
            return f"{name} has {len(value)} characters; expected at most {most}"
    start_s, end_s = draft.start_s, draft.end_s
    if start_s is None and end_s is None:
        return ""
    if start_s is None or end_s is None or not 0 <= start_s <= end_s < inf:
        expected = "0 or later, in order, or none of both"
        return f"start_s and end_s are {start_s} and {end_s}; expected times in s, {expected}"
    return ""


@transaction.atomic
def open_text_round(*, planned: Round, actor: User | None) -> AllocationResult:
    """Freeze the guideline and give the texts out; raises `ProtocolError` if it was opened."""
    campaign = lock_campaign(planned.campaign)
    if campaign.is_closed:
        raise ProtocolError(f"{campaign.name} is closed: no round can be opened.")
    fresh = Round.objects.select_related("guideline").get(pk=planned.pk)
    if fresh.opened_at is not None:
        raise ProtocolError(f"Round {fresh.number} was opened before.")
    freeze_version(version=fresh.guideline, actor=actor)
    fresh.opened_at = timezone.now()
    fresh.save(update_fields=["opened_at"])
    record_round(actor, "round.open", fresh, {"guideline": fresh.guideline.public_id})
    return allocate_texts(fresh, actor)


def allocate_texts(round_: Round, actor: User | None) -> AllocationResult:
    """Give texts out by overlap and people's loads; needs the lock of the campaign."""
    hold_datasets(round_.campaign_id)
    hold_work(unbegun(round_))
    held: dict[int, list[int]] = {pk: [] for pk in round_.text_items.values_list("pk", flat=True)}
    barred: dict[int, set[int]] = defaultdict(set)
    for item, person, place in round_.text_verdicts.values_list("item_id", "person_id", "place"):
        if place == DECIDING_PLACE:
            barred[item].add(person)
        else:
            held[item].append(person)
    independent = unbegun(round_).exclude(place=DECIDING_PLACE).order_by("position")
    plan = share_out(round_, held, independent.values_list("person", "item"), barred)
    for item, person in plan.removed:
        round_.text_verdicts.filter(item=item, person=person).delete()
    _reserve(round_, plan.added)
    for item in _undecided(round_):
        reserve_deciding(round_, item)
    counts = Counter({pk: len(people) for pk, people in held.items()})
    counts.update(item for item, _ in plan.added)
    counts.subtract(item for item, _ in plan.removed)
    short_count = sum(count < round_.overlap for count in counts.values())
    return record_allocation(round_, plan, short_count, actor)


def _reserve(round_: Round, pairs: Collection[tuple[int, int]]) -> None:
    """Places behind each person's queue, in that person's own seeded order."""
    taken: dict[int, set[int]] = defaultdict(set)
    for item, place in round_.text_verdicts.order_by().values_list("item_id", "place"):
        taken[item].add(place)
    rows = []
    for item, person, position in queued(pairs, ends=_ends(round_), seed=round_.seed):
        place = next(k for k in range(1, DECIDING_PLACE) if k not in taken[item])
        taken[item].add(place)
        rows.append(
            TextVerdict(
                round=round_, item_id=item, person_id=person, place=place, position=position
            )
        )
    TextVerdict.objects.bulk_create(rows, batch_size=INSERT_BATCH)


def _ends(round_: Round) -> dict[int, int]:
    ends = round_.text_verdicts.order_by().values_list("person").annotate(end=Max("position"))
    return dict(ends)


def _undecided(round_: Round) -> list[int]:
    """The texts whose two verdicts differ and that nobody has for deciding."""
    given = given_by_item(round_)
    has_third = set(
        round_.text_verdicts.filter(place=DECIDING_PLACE).values_list("item_id", flat=True)
    )
    return [item for item, places in given.items() if item not in has_third and differ(places)]


def reserve_deciding(round_: Round, item: int) -> TextVerdict | None:
    """Give a text on which two differ to who has least left to do; None where nobody is left.

    Needs the lock of the text.
    """
    holders = set(TextVerdict.objects.filter(item=item).values_list("person_id", flat=True))
    people = round_.raters.exclude(rater__in=holders).filter(
        rater__campaign_memberships__campaign=round_.campaign_id
    )
    loads = dict.fromkeys(people.order_by("rater_id").values_list("rater_id", flat=True), 0)
    if not loads:
        return None
    left = TextVerdict.objects.filter(round=round_, person__in=loads, verdict="").order_by()
    loads |= dict(left.values_list("person_id").annotate(Count("pk")))
    person = min(loads, key=lambda pk: (loads[pk], (pk * 2_654_435_761 ^ item) % 2**32))
    last = TextVerdict.objects.filter(round=round_, person=person).aggregate(end=Max("position"))
    return TextVerdict.objects.create(
        round=round_,
        item_id=item,
        person_id=person,
        place=DECIDING_PLACE,
        position=0 if last["end"] is None else last["end"] + 1,
    )


def unbegun(round_: Round) -> QuerySet[TextVerdict]:
    """Places that nobody has opened yet; they can go to somebody else."""
    return TextVerdict.objects.filter(round=round_, verdict="", started_at__isnull=True)
