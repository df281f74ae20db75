"""Figures of rounds of texts as they are stored, and whether verdicts have come in since."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime

from django.db.models import Count, Q, Sum

from annotation.engine.stored import from_stored
from annotation.models import Round, User
from texts.engine.deciding import GivenVerdict
from texts.engine.figures import FIGURES_VERSION, ReadText, TextFigures, text_figures
from texts.models import TextItem, TextRoundFigures, TextVerdict
from texts.selectors.rounds import vocabulary_of
from texts.selectors.verdicts import GIVEN, given_verdict


@dataclass(frozen=True, slots=True)
class ReadingState:
    """How far the verdicts of a round are: equal exactly when its figures would be the same.

    `changes` grows with every change of a verdict; `given` counts those that there are.
    """

    changes: int = 0
    given: int = 0
    version: int = FIGURES_VERSION

    def to_dict(self) -> dict[str, int]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class StoredTextFigures:
    """Stored figures of a round and how old they are; `figures` None: there are none yet.

    `newer_count` is how many changes of verdicts they do not know of, `error` why the last attempt
    to compute them failed.
    """

    round: Round
    state: ReadingState
    figures: TextFigures | None
    computed_at: datetime | None
    newer_count: int
    is_outdated: bool
    is_being_computed: bool
    error: str

    def freshness(self) -> dict[str, str | int | None]:
        """What a table says of its age in every row."""
        at = self.computed_at
        return {
            "computed_at": None if at is None else at.isoformat(timespec="seconds"),
            "newer_verdicts": self.newer_count,
        }


def reading_states(rounds: Iterable[int]) -> dict[int, ReadingState]:
    """The states of rounds by primary key (one query); none where nobody has a text."""
    rows = TextVerdict.objects.filter(round__in=list(rounds)).order_by().values_list("round")
    counted = rows.annotate(changes=Sum("revision"), given=Count("pk", filter=~Q(verdict="")))
    return {pk: ReadingState(changes, given) for pk, changes, given in counted}


def stored_text_figures(rounds: Sequence[Round]) -> list[StoredTextFigures]:
    """What is stored for each round, with its age as of now (3 queries)."""
    ids = [round_.pk for round_ in rounds]
    rows = TextRoundFigures.objects.select_related("job").in_bulk(ids)
    states = reading_states(ids)
    # Those of another version may be of another form, and are computed anew.
    figures = {
        pk: from_stored(TextFigures, row.figures)
        for pk, row in rows.items()
        if row.state.get("version") == FIGURES_VERSION
    }
    keys = {int(reader.name) for item in figures.values() for reader in item.by_person}
    # By the names that people have today.
    names = {
        str(pk): name for pk, name in User.objects.filter(pk__in=keys).values_list("pk", "username")
    }
    stored = []
    for round_ in rounds:
        row = rows.get(round_.pk, TextRoundFigures())
        state, own = states.get(round_.pk, ReadingState()), figures.get(round_.pk)
        stored.append(
            StoredTextFigures(
                round=round_,
                state=state,
                figures=None if own is None else _named(own, names),
                computed_at=row.computed_at,
                newer_count=0 if own is None else max(0, state.changes - row.state["changes"]),
                is_outdated=row.state != state.to_dict(),
                is_being_computed=row.is_being_computed,
                error=row.error,
            )
        )
    return stored


def _named(figures: TextFigures, names: Mapping[str, str]) -> TextFigures:
    people = (replace(reader, name=names[reader.name]) for reader in figures.by_person)
    return replace(figures, by_person=tuple(sorted(people, key=lambda reader: reader.name)))


def figures_now(round_: Round) -> TextFigures:
    """The figures of a round as it is now, people by their primary keys (2 queries)."""
    places: dict[int, list[tuple[int, int, float | None, GivenVerdict]]] = {}
    rows = TextVerdict.objects.filter(round=round_).exclude(verdict="").order_by()
    fields = ("item_id", "place", "person_id", "seconds", *GIVEN[1:])
    for item, place, person, seconds, *values in rows.values_list(*fields):
        places.setdefault(item, []).append((place, person, seconds, given_verdict(*values)))
    items = TextItem.objects.filter(round=round_).order_by("pk")
    read = [
        ReadText(
            recording=take,
            group=group,
            given={place: given for place, _, _, given in places.get(pk, ())},
            people={place: str(person) for place, person, _, _ in places.get(pk, ())},
            seconds={place: seconds for place, _, seconds, _ in places.get(pk, ())},
        )
        for pk, take, group in items.values_list("pk", "take_id", "group")
    ]
    return text_figures(read, vocabulary_of(round_), overlap=round_.overlap, seed=round_.seed)
