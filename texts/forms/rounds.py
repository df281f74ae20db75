"""The form of what a round of texts asks, until it is opened."""

from typing import Any

from django import forms

from annotation.engine.limits import limits
from texts.engine.vocabulary import MOST_REASONS, Vocabulary
from texts.models import LABEL_CHARACTERS
from texts.services.rounds import PHASES, NewTextRound


class TextRoundForm(forms.Form):
    phase = forms.ChoiceField(
        choices=PHASES,
        label="Phase",
        help_text="Figures of pilots are never pooled with those of main rounds.",
    )
    margin_s = forms.FloatField(
        **limits(NewTextRound, "margin_s"),
        label="Seconds of the recording before and after",
        help_text="The clip loops over the moment of a text and so much on both sides.",
    )
    reasons = forms.CharField(
        widget=forms.Textarea(attrs={"rows": MOST_REASONS}),
        label="Reasons",
        help_text=f"One a line, at most {MOST_REASONS}; people choose one or several of them.",
    )

    def __init__(self, vocabulary: Vocabulary, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not any(choice.asks_reason for choice in vocabulary.verdicts):
            del self.fields["reasons"]

    def clean_reasons(self) -> list[str]:
        titles = [
            line.strip() for line in self.cleaned_data["reasons"].splitlines() if line.strip()
        ]
        for title in titles:
            if len(title) > LABEL_CHARACTERS:
                raise forms.ValidationError(
                    f"A reason has {len(title)} characters; expected at most {LABEL_CHARACTERS}."
                )
        return titles
