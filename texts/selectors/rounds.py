"""Rounds of texts: for researchers who have them read, and in each reader's queue."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from statistics import median

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery
from django.shortcuts import get_object_or_404

from annotation.engine.campaigns.workload import about
from annotation.models import Campaign, Dataset, Round, RoundRater, User
from annotation.selectors.campaigns.campaigns import get_campaign_for_user, visible_campaigns
from annotation.selectors.campaigns.reading import has_read_a_guideline
from annotation.selectors.corpus.blinding import campaigns_hidden_now, refuse_while_rating
from annotation.selectors.corpus.corpus import count_of
from texts.engine.deciding import GivenVerdict, decided
from texts.engine.vocabulary import Vocabulary
from texts.models import TEXTS, TextItem, TextVerdict
from texts.selectors.verdicts import given_by_item, own_verdicts

# So many of the latest verdicts tell how long a text takes.
TIMED = 50


def text_rounds(campaign: Campaign) -> QuerySet[Round]:
    """The rounds in order with counts of texts, people and verdicts, in one query."""
    return _with_counts(campaign.rounds.all()).order_by("number")


def _with_counts(rounds: QuerySet[Round]) -> QuerySet[Round]:
    places = TextVerdict.objects.all()
    return (
        rounds.filter(kind=TEXTS)
        .select_related("guideline", "texts", "campaign")
        .annotate(
            rater_count=count_of(RoundRater.objects.all(), "round"),
            text_count=count_of(TextItem.objects.all(), "round"),
            assigned_count=count_of(places, "round"),
            given_count=count_of(places.exclude(verdict=""), "round"),
        )
    )


def pace_of(campaign_id: int) -> str:
    """How long a text took, the middle of the latest verdicts; "" where none was timed."""
    timed = TextVerdict.objects.filter(round__campaign=campaign_id, seconds__isnull=False)
    latest = timed.order_by("-given_at").values_list("seconds", flat=True)[:TIMED]
    seconds = [item for item in latest if item is not None]
    return about(median(seconds)) if seconds else ""


def get_text_round(user: User, public_id: str, number: int) -> Round:
    """A round of texts with its counts; raises Http404 where the user may not see it."""
    campaign = get_campaign_for_user(user, public_id, TEXTS)
    return get_object_or_404(text_rounds(campaign), number=number)


def get_readable_text_round(user: User, public_id: str, number: int) -> Round:
    """As `get_text_round`; raises `HiddenWhileRatingError` for somebody who reads in it."""
    round_ = get_text_round(user, public_id, number)
    refuse_while_rating(user, round_.campaign)
    return round_


def vocabulary_of(round_: Round) -> Vocabulary:
    return Vocabulary.from_dict(round_.texts.vocabulary)


@dataclass(frozen=True, slots=True)
class DecidedText:
    """What was decided of a text; `verdict` is "" while nothing is.

    `text` and `answer` are as they are to be used: where the verdict edits, the person's.
    """

    source_key: str
    verdict: str
    is_kept: bool
    reasons: tuple[str, ...]
    text: str
    answer: str
    given_count: int


def decided_texts(round_: Round) -> Iterator[DecidedText]:
    """The texts of a round in the order in which they were handed over (2 queries)."""
    keeps = {choice.name: choice for choice in vocabulary_of(round_).verdicts}
    given = given_by_item(round_)
    rows = TextItem.objects.filter(round=round_).order_by("pk")
    for pk, key, text, answer in rows.values_list("pk", "source_key", "text", "answer"):
        places = given.get(pk, {})
        outcome = decided(places, round_.overlap) or GivenVerdict("")
        choice = keeps.get(outcome.verdict)
        is_edited = choice is not None and choice.edits
        yield DecidedText(
            source_key=key,
            verdict=outcome.verdict,
            is_kept=choice is not None and choice.keeps,
            reasons=outcome.reasons,
            text=outcome.text if is_edited else text,
            answer=outcome.answer if is_edited else answer,
            given_count=len(places),
        )


@dataclass(frozen=True, slots=True)
class JudgedText:
    """A text of a round with each person's place at it, and what was said there in words."""

    item: TextItem
    verdicts: tuple[tuple[TextVerdict, str], ...]


def judged_texts(round_: Round, items: Iterable[TextItem]) -> list[JudgedText]:
    """Texts of a round, in their order, with what people say of each."""
    words = vocabulary_of(round_).in_words
    return [
        JudgedText(
            item,
            tuple((own, words(own.verdict, own.reasons)) for own in item.verdicts.all()),
        )
        for item in items
    ]


@dataclass(frozen=True, slots=True)
class BlindAnswer:
    """What a person at a place answered to a text before its answer was shown.

    `text` is as it was read then; `person` is a primary key.
    """

    source_key: str
    text: str
    place: int
    person: int
    answer: str


def blind_answers(
    round_: Round, source_keys: Collection[str] | None = None
) -> Iterator[BlindAnswer]:
    """People's own answers in the order of the texts, then of the places (1 query).

    With `source_keys` only those to the texts of these keys.
    """
    rows = TextVerdict.objects.filter(round=round_).exclude(blind_answer="")
    if source_keys is not None:
        rows = rows.filter(item__source_key__in=source_keys)
    rows = rows.order_by("item_id", "place")
    fields = ("item__source_key", "item__text", "place", "person_id", "blind_answer")
    for row in rows.values_list(*fields):
        yield BlindAnswer(*row)


def rounds_of_origin(user: User, origin: str) -> list[Round]:
    """The rounds that were handed over under this name, whose verdicts the user may read.

    The newest first, with their counts (one query). Who reads in an open campaign sees none of its
    verdicts.
    """
    readable = visible_campaigns(user).exclude(pk__in=campaigns_hidden_now(user).values("pk"))
    rounds = Round.objects.filter(texts__origin=origin, campaign__in=readable.values("pk"))
    return list(_with_counts(rounds).order_by("-pk"))


@dataclass(frozen=True, slots=True)
class TextCard:
    """One round in a person's queue."""

    round: Round
    total: int
    given: int
    following: str | None


def text_queue(user: User) -> list[TextCard]:
    """The rounds of texts in which the user reads, closed ones last (2 queries)."""
    rounds = (
        Round.objects.filter(
            kind=TEXTS,
            raters__rater=user,
            campaign__raters__rater=user,
            opened_at__isnull=False,
        )
        .select_related("campaign", "texts")
        .annotate(has_read=has_read_a_guideline(user))
        .order_by(F("closed_at").asc(nulls_first=True), "-opened_at", "campaign__name", "pk")
    )
    own = own_verdicts(user).order_by()
    counted = own.values_list("round").annotate(
        total=Count("pk"), given=Count("pk", filter=~Q(verdict=""))
    )
    counts = {round_: (total, given) for round_, total, given in counted}
    left = own.filter(round=OuterRef("pk"), verdict="").order_by("position", "pk")
    following = rounds.annotate(following=Subquery(left.values("public_id")[:1]))
    return [
        TextCard(round_, *counts.get(round_.pk, (0, 0)), round_.following) for round_ in following
    ]


def why_texts_hold(dataset: Dataset) -> str:
    """Why a data set cannot be deleted: texts about its recordings are read; "" if none are."""
    held = Q(take__dataset=dataset) | Q(trace__dataset=dataset)
    if not TextItem.objects.filter(held).exists():
        return ""
    return f"Texts about recordings of {dataset.name} are in rounds, so it cannot be deleted."


def people_reading_for_others(user: User) -> QuerySet[TextVerdict, int]:
    work = TextVerdict.objects.exclude(round__campaign__owner=user)
    return work.values_list("person", flat=True)
