"""The forms of people as judges."""

from typing import Any, cast

from django import forms

from benchmarks.engine.task import PeopleRubric
from benchmarks.services.item_sets import MAX_SEED
from benchmarks.services.people.judging import MOST_ANSWERS, USUAL_SIZE


class DrawForm(forms.Form):
    """How many answers to draw for people."""

    size = forms.IntegerField(
        min_value=1, max_value=MOST_ANSWERS, initial=USUAL_SIZE, label="Answers to grade"
    )
    seed = forms.IntegerField(min_value=0, max_value=MAX_SEED, initial=0, label="Seed")


class GradeForm(forms.Form):
    """A grade of the answer at a position of the sample."""

    position = forms.IntegerField(min_value=1, widget=forms.HiddenInput)
    score = forms.TypedChoiceField(coerce=int, widget=forms.RadioSelect)

    def __init__(self, rubric: PeopleRubric, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        score = cast(forms.TypedChoiceField, self.fields["score"])
        score.label = rubric.question
        score.choices = sorted(rubric.words.items(), reverse=True)
        lowest, highest = min(rubric.words), max(rubric.words)
        fault = f"Choose a grade from {lowest} to {highest}."
        score.error_messages |= {"required": fault, "invalid_choice": fault}
