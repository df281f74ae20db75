"""The form for a new question set."""

from typing import Any, cast

from django import forms

from annotation.models import User
from annotation.selectors.corpus.corpus import visible_datasets
from benchmarks.engine.questions.kinds import MOST_PAIRS
from benchmarks.engine.questions.samples import (
    ALL,
    ALL_WHOLE,
    AS_MANY,
    LEFT_OUT,
    WHOLE,
    QuestionSettings,
)
from benchmarks.services.askable import MOST_USD, usable_endpoints
from benchmarks.services.item_sets import MAX_SEED
from benchmarks.services.questions.reviewing import ReviewRequest
from benchmarks.services.questions.sets import QuestionSetRequest


def _choices(*options: str) -> list[tuple[str, str]]:
    return [(option, option) for option in options]


class QuestionSetForm(forms.Form):
    """What to ask about, and who writes it."""

    name = forms.CharField(max_length=200, label="Name")
    source = forms.ChoiceField(label="Data set")
    seed = forms.IntegerField(min_value=0, max_value=MAX_SEED, initial=0, label="Seed")
    pairs = forms.IntegerField(
        min_value=1, max_value=MOST_PAIRS, initial=3, label="Questions about each step"
    )
    correct = forms.ChoiceField(choices=_choices(AS_MANY, ALL), label="Steps without a mistake")
    untimed = forms.ChoiceField(
        choices=_choices(LEFT_OUT, WHOLE, ALL_WHOLE),
        label="Steps without a time",
        help_text="Mostly they were left out: shown beside others, the length tells.",
    )
    writer = forms.ChoiceField(
        required=False, label="Written by", help_text="A text model is paid for by the call."
    )
    budget_usd = forms.FloatField(
        min_value=0.000001,
        max_value=MOST_USD,
        required=False,
        label="Budget in US dollars",
        help_text="The model stops there, and goes on once you raise it.",
    )

    def __init__(self, *args: Any, user: User, **more: Any) -> None:
        super().__init__(*args, **more)
        source = cast(forms.ChoiceField, self.fields["source"])
        source.choices = list(
            visible_datasets(user).order_by("name").values_list("public_id", "name")
        )
        writer = cast(forms.ChoiceField, self.fields["writer"])
        endpoints = usable_endpoints(user).order_by("name").values_list("public_id", "name")
        writer.choices = [("", "Templates"), *endpoints]

    def to_request(self) -> QuestionSetRequest:
        cleaned = self.cleaned_data
        settings = QuestionSettings(cleaned["pairs"], cleaned["correct"], cleaned["untimed"])
        fields = {name: cleaned[name] for name in ("name", "source", "seed", "writer")}
        return QuestionSetRequest(**fields, settings=settings, budget_usd=cleaned["budget_usd"])


class BudgetForm(forms.Form):
    """Another budget for what was stopped; empty keeps the one that there is."""

    budget_usd = forms.FloatField(min_value=0.000001, max_value=MOST_USD, required=False)


class ReviewForm(forms.Form):
    """How people review a question set."""

    name = forms.CharField(max_length=200, label="Name of the campaign")
    overlap = forms.TypedChoiceField(
        coerce=int, initial=2, label="Read by", choices=[(2, "two people"), (1, "one person")]
    )
    is_blind_first = forms.BooleanField(
        required=False, label="People answer each question before they see the answer"
    )

    def to_request(self) -> ReviewRequest:
        return ReviewRequest(**self.cleaned_data)
