"""The form of what is assumed of answers to an item set that nobody has given yet."""

from typing import Any

from django import forms

from benchmarks.engine.planned_sizes import Assumed
from benchmarks.selectors.planned_sizes import MOST_RATERS, RATERS


class SizesForm(forms.Form):
    accuracy = forms.FloatField(
        min_value=0.01, max_value=0.99, initial=0.7, label="Expected accuracy"
    )
    recording = forms.FloatField(
        min_value=0,
        max_value=0.99,
        initial=0.05,
        label="Correlation within a recording",
        help_text="Of whether two items of one recording are answered right. 0: as if of several.",
    )
    item = forms.FloatField(
        min_value=0,
        max_value=0.99,
        initial=0,
        label="Correlation of people on an item",
        help_text="Beyond that of the recording; of people alone, 0 for a model.",
    )
    rater = forms.FloatField(
        min_value=0,
        max_value=0.99,
        initial=0,
        label="Correlation of one person’s answers",
        help_text="How far people differ in how good they are; 0 for a model.",
    )
    raters = forms.CharField(
        max_length=40,
        initial=", ".join(map(str, RATERS)),
        label="People who answer each item",
        help_text="Several numbers with commas between them.",
    )

    def clean_raters(self) -> tuple[int, ...]:
        parts = [part.strip() for part in self.cleaned_data["raters"].split(",") if part.strip()]
        if not parts or not all(part.isascii() and part.isdecimal() for part in parts):
            raise forms.ValidationError("Expected whole numbers with commas between them.")
        counts = tuple(sorted({int(part[:6]) for part in parts}))
        if not 1 <= counts[0] <= counts[-1] <= MOST_RATERS:
            raise forms.ValidationError(f"Expected numbers from 1 to {MOST_RATERS}.")
        return counts

    def clean(self) -> dict[str, Any]:
        sent = self.cleaned_data
        if not self.errors:
            try:
                sent["assumed"] = Assumed(
                    sent["accuracy"], sent["recording"], sent["item"], sent["rater"]
                )
            except ValueError as error:
                raise forms.ValidationError(f"{str(error)[0].upper()}{str(error)[1:]}.") from error
        return sent
