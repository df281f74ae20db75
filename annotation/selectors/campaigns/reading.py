"""What somebody has read of a guideline, and which version of it is news to them."""

from django.db.models import Exists, Max, OuterRef, Q, QuerySet

from annotation.models import GuidelineReading, GuidelineVersion, Phase, Round, User
from annotation.models.round_kinds import kind_called
from annotation.selectors.campaigns.rounds import rounds_of_rater


def version_to_announce(user: User, round_: Round) -> GuidelineVersion | None:
    """The version that the user knows, where the round has another one they have not confirmed.

    They know the one that they confirmed last, else that of the last round they worked in. One
    query where the campaign has no other version.
    """
    kind, current = kind_called(round_.kind), round_.guideline
    versions = GuidelineVersion.objects.filter(
        kind.comparable(current), campaign=round_.campaign_id
    )
    read_at = Max("readings__read_at", filter=Q(readings__rater=user))
    known = {item.pk: item for item in versions.defer("text", "examples").annotate(read_at=read_at)}
    read = sorted((item.read_at, pk) for pk, item in known.items() if item.read_at)
    if known.keys() == {current.pk} or any(pk == current.pk for _, pk in read):
        return None
    before = known[read[-1][1]] if read else _worked_by(user, round_, versions)
    if before is None or before.pk == current.pk:
        return None
    is_same = (before.text, before.examples) == (current.text, current.examples)
    return None if is_same else before


def _worked_by(
    user: User, round_: Round, versions: QuerySet[GuidelineVersion]
) -> GuidelineVersion | None:
    """The version of the last round before this one in which the user did something."""
    work = kind_called(round_.kind).work()
    begun = work.rows.filter(
        work.is_begun | work.is_done,
        **{work.person: user, "round__number__lt": round_.number, "round__guideline__in": versions},
    )
    last = begun.select_related("round__guideline").order_by("-round__number").first()
    return last.round.guideline if last else None


def has_read_a_guideline(user: User, **of_version: OuterRef) -> Exists:
    """Of a round: whether the user has confirmed to have read a guideline of its campaign.

    `of_version` says what else the version has to have in common with the round.
    """
    own = GuidelineReading.objects.filter(rater=user)
    return Exists(own.filter(version__campaign=OuterRef("campaign"), **of_version))


def first_open_round(user: User, campaign_id: int) -> Round | None:
    """Where somebody who has joined begins: with the training, else the round opened last."""
    rounds = rounds_of_rater(user, kind=None).filter(campaign=campaign_id, closed_at__isnull=True)
    ordered = sorted(rounds, key=lambda item: (item.phase != Phase.TRAINING, -item.number))
    return ordered[0] if ordered else None
