"""Forms of gold, of the checks of a round, and of letting somebody in."""

from collections.abc import Iterator, Mapping

from django import forms
from django.forms.boundfield import BoundField
from django.http import QueryDict

from annotation.engine.limits import limits
from annotation.engine.ratings.gold import WIDEST_BAND
from annotation.engine.rubric.rubric import Metric, MetricDefinition, Rubric, Scale, Scope
from annotation.forms.corpus.datasets import choose_among
from annotation.models import GoldItem, GoldSource, Phase, Round, RoundChecks, User
from annotation.selectors.ratings.gold import checks_of
from annotation.selectors.ratings.training import not_yet_in, training_rounds
from annotation.services.ratings.gold import NewChecks, NewGold

REASON_CHARACTERS = 1000


class AnswerKeyForm(forms.Form):
    """The accepted answers to all questions about one event, or about the trace, that can have any.

    A question of which nothing is ticked has no gold.
    """

    source = forms.ChoiceField(
        choices=[(item.value, item.label) for item in GoldSource if item != GoldSource.CONSENSUS],
        label="How is this known?",
        help_text=(
            "A trap is an event that nobody who looks can get wrong. Traces with a trap are never"
            " given as ordinary ones."
        ),
    )

    def __init__(
        self,
        rubric: Rubric,
        event_index: int | None,
        current: Mapping[str, GoldItem],
        data: QueryDict | None = None,
    ) -> None:
        """`current` is the gold of the event so far, by metric."""
        self.event_index, self.current = event_index, current
        scope = Scope.TRACE if event_index is None else Scope.EVENT
        self.definitions = [
            item for item in rubric.metrics if item.scope is scope and not item.is_subjective
        ]
        initial: dict[str, object] = {}
        for metric, item in current.items():
            initial |= {
                f"{metric}_accepted": item.accepted,
                f"{metric}_band": bool(item.band),
                f"{metric}_reason": item.reason,
            }
            if item.source != GoldSource.CONSENSUS:
                initial["source"] = item.source
        super().__init__(data, initial=initial)
        for definition in self.definitions:
            self._add(definition)

    def _add(self, definition: MetricDefinition) -> None:
        metric = definition.metric.value
        self.fields[f"{metric}_accepted"] = forms.MultipleChoiceField(
            choices=[(value, definition.shown(value)) for value in definition.values],
            required=False,
            widget=forms.CheckboxSelectMultiple,
            label=definition.title,
        )
        if definition.scale is Scale.LIKERT:
            self.fields[f"{metric}_band"] = forms.BooleanField(
                required=False, initial=True, label="The values beside these are accepted as well"
            )
        self.fields[f"{metric}_reason"] = forms.CharField(
            required=False,
            max_length=REASON_CHARACTERS,
            widget=forms.Textarea(attrs={"rows": 2}),
            label=f"Why: {definition.title}",
        )

    def questions(self) -> Iterator[dict[str, BoundField | None]]:
        """Yield the fields of each question."""
        for definition in self.definitions:
            metric = definition.metric.value
            has_band = f"{metric}_band" in self.fields
            yield {
                "accepted": self[f"{metric}_accepted"],
                "band": self[f"{metric}_band"] if has_band else None,
                "reason": self[f"{metric}_reason"],
            }

    def gold(self) -> Iterator[NewGold]:
        for definition in self.definitions:
            metric = definition.metric.value
            accepted = self.cleaned_data[f"{metric}_accepted"]
            if not accepted:
                continue
            band = WIDEST_BAND if self.cleaned_data.get(f"{metric}_band") else 0
            item = self.current.get(metric)
            # What all raters answered stays theirs as long as nobody changes it.
            is_consensus = (
                item is not None
                and item.source == GoldSource.CONSENSUS
                and (item.accepted, item.band) == (accepted, band)
            )
            source = GoldSource.CONSENSUS if is_consensus else self.cleaned_data["source"]
            yield NewGold(
                event_index=self.event_index,
                metric=Metric(metric),
                accepted=accepted,
                band=band,
                reason=self.cleaned_data[f"{metric}_reason"],
                source=GoldSource(source),
            )


class PercentField(forms.FloatField):
    """A share, typed and shown in percent."""

    def __init__(self, *, label: str, help_text: str = "") -> None:
        super().__init__(min_value=0, max_value=100, label=label, help_text=help_text)

    def prepare_value(self, value: object) -> object:
        return f"{value * 100:g}" if isinstance(value, float) else value

    def clean(self, value: object) -> float:
        percent: float = super().clean(value)
        return percent / 100


class TrainingField(forms.ModelChoiceField):
    """One of the training rounds of a campaign."""

    def label_from_instance(self, obj: Round) -> str:
        return f"Who passes round {obj.number} (guideline {obj.guideline.name})"


class ChecksForm(forms.Form):
    """What a planned round asks for beside ordinary traces; a training round has other fields."""

    gold_count = forms.IntegerField(
        **limits(NewChecks, "gold_count"),
        label="Gold traces for each rater",
        help_text="Traces with answers that you know. They come on top of the ordinary ones.",
    )
    trap_count = forms.IntegerField(
        **limits(NewChecks, "trap_count"),
        label="Traps for each rater",
        help_text="Traces with an event that nobody who looks can get wrong.",
    )
    repeat_count = forms.IntegerField(
        **limits(NewChecks, "repeat_count"),
        label="Repeats for each rater",
        help_text="Own traces once more, to see how well raters agree with themselves.",
    )
    repeat_gap = forms.IntegerField(
        **limits(NewChecks, "repeat_gap"), label="Other traces before a repeat, at least"
    )
    qualified_by = TrainingField(
        queryset=Round.objects.none(),
        required=False,
        empty_label="No training: everybody takes part",
        label="Who takes part",
        help_text="With a training, people enter this round when they have passed it.",
    )
    pass_overall = PercentField(label="Accepted answers in total, %", help_text="Needed to pass.")
    pass_per_metric = PercentField(
        label="Accepted answers of each question, %",
        help_text="Nobody passes who falls below this in any question.",
    )
    traces_per_attempt = forms.IntegerField(
        required=False,
        **limits(NewChecks, "traces_per_attempt"),
        label="Traces in one attempt",
        help_text="Empty: all of the round. With fewer, another attempt has other traces.",
    )
    most_attempts = forms.IntegerField(
        required=False,
        **limits(NewChecks, "most_attempts"),
        label="Attempts at most",
        help_text="Empty: as many as somebody likes.",
    )
    TRAINING = ("pass_overall", "pass_per_metric", "traces_per_attempt", "most_attempts")

    def __init__(self, round_: Round, data: QueryDict | None = None) -> None:
        checks = checks_of(round_)
        names = [name for name in NewChecks.__slots__ if name != "qualified_by"]
        initial = {name: getattr(checks, name) for name in names}
        super().__init__(data, initial={**initial, "qualified_by": checks.qualified_by_id})
        self.checks: RoundChecks = checks
        is_training = round_.phase == Phase.TRAINING
        for name in list(self.fields):
            if (name in self.TRAINING) != is_training:
                del self.fields[name]
        if "qualified_by" in self.fields:
            rounds = training_rounds(round_.campaign).select_related("guideline")
            choose_among(self, qualified_by=rounds)

    def to_checks(self) -> NewChecks:
        """What was typed, over what the round asked for before."""
        stored = {name: getattr(self.checks, name) for name in NewChecks.__slots__}
        return NewChecks(**{**stored, **self.cleaned_data})


class LetInForm(forms.Form):
    """Somebody who may go on without having passed, and why."""

    rater = forms.ModelChoiceField(
        queryset=User.objects.none(), to_field_name="username", label="Who"
    )
    reason = forms.CharField(
        max_length=REASON_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 2}),
        label="Why this person may go on without passing",
    )

    def __init__(self, round_: Round, data: QueryDict | None = None) -> None:
        super().__init__(data, auto_id=f"let-in-{round_.number}-%s")
        choose_among(self, rater=not_yet_in(round_))
