"""The form of a verdict on the page of a text."""

from django import forms

from texts.selectors.pages import TextPage
from texts.services.verdicts import LONGEST_TEXT, SentVerdict


class VerdictForm(forms.Form):
    """What is chosen and typed; services say what the round takes of it."""

    verdict = forms.CharField(max_length=32, widget=forms.HiddenInput)
    reasons = forms.Field(required=False, widget=forms.SelectMultiple)
    note = forms.CharField(required=False, max_length=LONGEST_TEXT)
    text = forms.CharField(required=False, max_length=LONGEST_TEXT)
    answer = forms.CharField(required=False, max_length=LONGEST_TEXT)
    revision = forms.IntegerField(min_value=0, max_value=2**31 - 1)
    seconds = forms.FloatField(required=False, min_value=0, max_value=86_400)

    def to_verdict(self) -> SentVerdict:
        return SentVerdict(**{**self.cleaned_data, "reasons": tuple(self.cleaned_data["reasons"])})

    @staticmethod
    def stored(page: TextPage) -> dict[str, object]:
        """The fields as they are stored, which an unanswered page begins with."""
        own, item = page.own, page.own.item
        return {
            "verdict": own.verdict,
            "reasons": own.reasons,
            "note": own.note,
            "text": own.text or item.text,
            "answer": own.answer or item.answer,
            "revision": own.revision,
        }
