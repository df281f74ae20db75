"""Verdicts: a person's own, and all those on a text for what is computed of them."""

from collections import defaultdict
from collections.abc import Sequence

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.models import Round, User
from texts.engine.deciding import GivenVerdict
from texts.models import TextVerdict

GIVEN = ("place", "verdict", "reasons", "text", "answer")


def own_verdicts(user: User) -> QuerySet[TextVerdict]:
    """The user's own, in opened rounds of campaigns that the user still belongs to."""
    return TextVerdict.objects.filter(
        person=user, round__opened_at__isnull=False, round__campaign__raters__rater=user
    )


def own_verdict(user: User, public_id: str) -> TextVerdict:
    """One of the user's own with its text; raises `TextVerdict.DoesNotExist`."""
    related = (
        "round__campaign", "round__guideline", "round__texts", "item__take__dataset",
        "item__take__video__ingest", "item__trace__video__ingest",
    )  # fmt: skip
    return own_verdicts(user).select_related(*related).get(public_id=public_id)


def next_verdict_id(user: User, round_id: str, after: str = "") -> str | None:
    """The public id of the user's first text in a round without a verdict.

    `after` one of theirs: the next of the others, from the first on behind the last.
    """
    left = own_verdicts(user).filter(round__public_id=round_id, verdict="")
    ids = left.order_by("position", "pk").values_list("public_id", flat=True)
    if not after:
        return ids.first()
    here = TextVerdict.objects.filter(person=user, round__public_id=round_id, public_id=after)
    position = here.values_list("position", flat=True).first()
    if position is None:
        return ids.first()
    return ids.filter(position__gt=position).first() or ids.exclude(public_id=after).first()


def videos_watched_by_readers(user: User) -> Q:
    own = own_verdicts(user).filter(
        Q(item__trace__video=OuterRef("pk"))
        | Q(item__trace__isnull=True, item__take__video=OuterRef("pk"))
    )
    return Q(Exists(own))


def verdicts_of_round(round_: Round) -> QuerySet[TextVerdict]:
    """Every verdict of a round with its text and person, text by text, the deciding one last."""
    given = TextVerdict.objects.filter(round=round_).exclude(verdict="")
    return given.select_related("item", "person").order_by("item_id", "place")


def given_of(own: TextVerdict) -> GivenVerdict:
    return given_verdict(own.verdict, own.reasons, own.text, own.answer)


def given_verdict(verdict: str, reasons: Sequence[str], text: str, answer: str) -> GivenVerdict:
    """The columns of `GIVEN` after the place."""
    return GivenVerdict(verdict, tuple(reasons), text, answer)


def given_by_item(round_: Round) -> dict[int, dict[int, GivenVerdict]]:
    """The verdicts of a round by text and place (one query)."""
    given: dict[int, dict[int, GivenVerdict]] = defaultdict(dict)
    rows = TextVerdict.objects.filter(round=round_).exclude(verdict="").order_by()
    for item, place, *values in rows.values_list("item_id", *GIVEN):
        given[item][place] = given_verdict(*values)
    return given
