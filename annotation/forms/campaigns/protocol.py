"""Forms of the protocol: what will be reported, and what raters accept."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any, cast

from django import forms
from django.http import QueryDict

from annotation.engine.campaigns.people_questions import (
    BETWEEN,
    STANDARD,
    PeopleQuestion,
    question_of,
)
from annotation.engine.corpus.step_words import StepWords
from annotation.engine.rubric.rubric import Metric, current_rubric
from annotation.models import AnalysisPlan, Campaign

LONG_TEXT = 20_000
MOST_RATERS = 1000
PAIR = " | "


class AnalysisPlanForm(forms.Form):
    """What is reported and compared; the pairs are those of the campaign's data sets."""

    metrics = forms.MultipleChoiceField(
        choices=list(current_rubric().titles.items()),
        widget=forms.CheckboxSelectMultiple,
        required=False,
        label="Metrics reported",
    )
    comparisons = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        required=False,
        label="Data sets compared",
        help_text="Differences beyond these are labelled exploratory.",
    )
    hypotheses = forms.CharField(
        required=False, max_length=LONG_TEXT, widget=forms.Textarea(attrs={"rows": 4}),
        label="Hypotheses",
    )  # fmt: skip
    exclusions = forms.CharField(
        required=False, max_length=LONG_TEXT, widget=forms.Textarea(attrs={"rows": 3}),
        label="Who is excluded and why",
        help_text="Rules that are fixed now, such as: flagged by two screening rules.",
    )  # fmt: skip

    least_coverage = forms.IntegerField(
        required=False, min_value=0, max_value=100,
        label="Planned answers that a figure needs, in percent",
        help_text="A figure of fewer stands apart in tables and is not compared.",
    )  # fmt: skip
    least_raters = forms.IntegerField(
        required=False, min_value=1, max_value=MOST_RATERS, label="Raters that a figure needs"
    )

    step_words = forms.ChoiceField(
        required=False,
        label="What raters see where a step is on one side only",
        choices=[
            (StepWords.ARROWS, "Empty cells and arrows"),
            (StepWords.WORDS, "Words, such as “step missing” and “done as step 7”"),
        ],
        help_text="Words all but name the answer to Taxonomy Fit. Rounds that are opened keep what"
        " they were opened with, and figures say which it was.",
    )

    def __init__(
        self,
        campaign: Campaign,
        plan: AnalysisPlan,
        data: QueryDict | None = None,
        *,
        names_datasets: bool,
    ) -> None:
        """Without `names_datasets` the comparisons are not shown, and stay as they are."""
        chosen = [PAIR.join(pair) for pair in plan.comparisons]
        initial = {
            "metrics": plan.metrics or [metric.value for metric in Metric],
            "comparisons": chosen,
            "hypotheses": plan.hypotheses,
            "exclusions": plan.exclusions,
            "least_coverage": plan.least_coverage,
            "least_raters": plan.least_raters,
            "step_words": plan.step_words,
        }
        super().__init__(data, initial=initial)
        self.plan = plan
        self.pairs: dict[str, tuple[str, ...]] = {}
        if not names_datasets:
            del self.fields["comparisons"]
            return
        names = campaign.datasets.order_by("name").values_list("name", flat=True)
        self.pairs = {PAIR.join(pair): pair for pair in combinations(names, 2)}
        cast("forms.MultipleChoiceField", self.fields["comparisons"]).choices = [
            (key, " and ".join(pair)) for key, pair in self.pairs.items()
        ]

    def to_plan(self) -> dict[str, Any]:
        # What was left empty stays as it is.
        names = ("least_coverage", "least_raters", "step_words")
        stored = {name: getattr(self.plan, name) for name in names}
        cleaned = self.cleaned_data | {
            name: value for name, value in stored.items() if self.cleaned_data[name] in (None, "")
        }
        if "comparisons" not in cleaned:
            return {**cleaned, "comparisons": self.plan.comparisons}
        return {**cleaned, "comparisons": [self.pairs[key] for key in cleaned["comparisons"]]}


class PeopleQuestionsForm(forms.Form):
    """What people are asked about themselves: some of the usual questions, and others."""

    standard = forms.MultipleChoiceField(
        choices=[(key, question.text) for key, question in STANDARD.items()],
        widget=forms.CheckboxSelectMultiple,
        required=False,
        label="Questions",
    )
    others = forms.CharField(
        required=False, max_length=LONG_TEXT, widget=forms.Textarea(attrs={"rows": 3}),
        label="Others, one on each line",
        help_text="With choices: Do you cook? | Never | Sometimes | Often. Ask for nothing that"
        " tells who somebody is.",
    )  # fmt: skip

    @classmethod
    def stored(cls, questions: Sequence[PeopleQuestion]) -> dict[str, Any]:
        """What the form begins with."""
        keys = {question: key for key, question in STANDARD.items()}
        lines = [
            f" {BETWEEN} ".join((item.text, *item.choices))
            for item in questions
            if item not in keys
        ]
        standard = [keys[item] for item in questions if item in keys]
        return {"standard": standard, "others": "\n".join(lines)}

    def clean_others(self) -> list[PeopleQuestion]:
        lines = (line.strip() for line in self.cleaned_data["others"].splitlines())
        try:
            return [question_of(line) for line in lines if line]
        except ValueError as error:
            raise forms.ValidationError(str(error)) from error

    def to_questions(self) -> list[PeopleQuestion]:
        chosen = self.cleaned_data["standard"]
        usual = [question for key, question in STANDARD.items() if key in chosen]
        return [*usual, *self.cleaned_data["others"]]


class ConsentForm(forms.Form):
    text = forms.CharField(
        max_length=LONG_TEXT,
        widget=forms.Textarea(attrs={"rows": 8}),
        label="Consent text",
        help_text="People accept it before they begin; who accepted which text"
        " when is kept. A changed text is asked again.",
    )
