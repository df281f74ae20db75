"""The forms of people as judges."""

from django import forms

from benchmarks.engine.measures.grades import HIGHEST
from benchmarks.services.item_sets import MAX_SEED
from benchmarks.services.people.judging import MOST_ANSWERS, USUAL_SIZE

GRADE_WORDS = (
    "says nothing", "wrong", "mostly wrong", "partly right", "a small error", "means the same",
)  # fmt: skip


class DrawForm(forms.Form):
    """How many answers to draw for people."""

    size = forms.IntegerField(
        min_value=1, max_value=MOST_ANSWERS, initial=USUAL_SIZE, label="Answers to grade"
    )
    seed = forms.IntegerField(min_value=0, max_value=MAX_SEED, initial=0, label="Seed")


class GradeForm(forms.Form):
    """A grade of the answer at a position of the sample."""

    position = forms.IntegerField(min_value=1, widget=forms.HiddenInput)
    score = forms.TypedChoiceField(
        coerce=int,
        choices=[(score, GRADE_WORDS[score]) for score in range(HIGHEST, -1, -1)],
        widget=forms.RadioSelect,
        label="Does the answer mean the same?",
    )
