"""Forms of rounds and of guideline versions."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, cast

from django import forms
from django.http import QueryDict

from annotation.engine.campaigns.guideline import GuidelineText, QuestionText, content_hash
from annotation.engine.limits import limits
from annotation.engine.rubric.rubric import Scale, current_rubric
from annotation.forms.corpus.datasets import choose_among
from annotation.models import Campaign, CampaignState, GuidelineVersion, Phase
from annotation.models.round_kinds import RATINGS
from annotation.selectors.campaigns.rounds import text_of
from annotation.selectors.ratings.drawing import scenarios_to_draw
from annotation.services.ratings.rounds import NewRound

LONG_TEXT = 4000
SHORT_TEXT = 300
SAVED_MEANWHILE = (
    "Somebody saved this draft meanwhile. Here is what you typed: look at theirs on the page of the"
    " version in another tab, then save yours in its place."
)


class GuidelineChoice(forms.ModelChoiceField):
    """Versions by their names, newest first."""

    def label_from_instance(self, version: GuidelineVersion) -> str:  # type: ignore[override]
        return f"{version.name} ({'frozen' if version.is_frozen else 'draft: opening freezes it'})"


class RoundForm(forms.Form):
    """What a researcher decides about a round before it opens."""

    phase = forms.ChoiceField(
        choices=Phase.choices,
        label="Phase",
        help_text="A pilot sharpens the guideline and may be repeated; the main round is reported.",
    )
    guideline = GuidelineChoice(
        queryset=GuidelineVersion.objects.none(),
        to_field_name="number",
        empty_label=None,
        label="Guideline version",
        help_text="Its text can no longer change once the round is open.",
    )
    overlap = forms.IntegerField(
        **limits(NewRound, "overlap", default_as="initial"),
        label="Raters per trace (k)",
        help_text="Agreement needs at least 2.",
    )
    per_dataset = forms.IntegerField(
        **limits(NewRound, "per_dataset"),
        required=False,
        label="Traces of each data set",
        help_text="So many are drawn, evenly over scenarios. Empty: all of them.",
    )
    has_video = forms.BooleanField(
        required=False,
        label="Only traces with a video",
        help_text="One that raters see: a placeholder is none.",
    )
    has_correction = forms.BooleanField(required=False, label="Only traces with a correction")
    scenarios = forms.MultipleChoiceField(
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Only these scenarios",
        help_text="None chosen: traces of all of them.",
    )
    rates_pilot_again = forms.BooleanField(
        required=False,
        label="Rate traces of the pilots again",
        help_text="Gives figures before and after the change of the guideline on the same traces;"
        " but raters may remember them, and have read others' answers where they discussed them.",
    )
    seed = forms.IntegerField(
        **limits(NewRound, "seed", default_as="initial"),
        label="Seed",
        help_text="Draws the traces and decides who gets which, in which order.",
    )
    stop_rule = forms.CharField(
        required=False,
        **limits(NewRound, "stop_rule"),
        widget=forms.Textarea(attrs={"rows": 3}),
        label="Stop rule and hypotheses",
        help_text="Written before the round: when it ends, what is reported, who is left out.",
    )

    def __init__(self, campaign: Campaign, data: QueryDict | None = None) -> None:
        is_frozen = campaign.state in {CampaignState.FROZEN, CampaignState.CLOSED}
        super().__init__(data, initial={"phase": Phase.MAIN if is_frozen else Phase.PILOT})
        versions = campaign.guideline_versions.filter(kind=RATINGS)
        choose_among(self, guideline=versions.order_by("-number"))
        scenarios = scenarios_to_draw(campaign)
        choices = [(name, name or "Without a scenario") for name in scenarios]
        cast("forms.MultipleChoiceField", self.fields["scenarios"]).choices = choices
        self.has_scenarios = len(scenarios) > 1

    def to_round(self) -> NewRound:
        cleaned = self.cleaned_data
        return NewRound(
            **cleaned | {"phase": Phase(cleaned["phase"]), "scenarios": tuple(cleaned["scenarios"])}
        )


class DraftForm(forms.Form):
    """What changed in a version and why, beside the text that a subclass asks for.

    `seen` is the hash of the draft that the page was made of: a text that somebody else saved
    meanwhile is not overwritten without asking.
    """

    changes = forms.CharField(
        required=False,
        max_length=LONG_TEXT,
        widget=forms.Textarea(attrs={"rows": 3}),
        label="What changed and why",
    )

    def __init__(self, version: GuidelineVersion, data: QueryDict | None, **initial: str) -> None:
        super().__init__(data, initial={**initial, "changes": version.changes})
        self.seen = content_hash(version.text, [*version.examples, {"changes": version.changes}])

    def clean(self) -> dict[str, Any] | None:
        if self.data.get("seen", self.seen) != self.seen:
            self.add_error(None, SAVED_MEANWHILE)
        return super().clean()


class GuidelineForm(DraftForm):
    """The text of one version: a field per metric, subject and entry, then what changed and why.

    Fields are called `confusability.mistake.question`, as the keys of the text.
    """

    def __init__(self, version: GuidelineVersion, data: QueryDict | None = None) -> None:
        super().__init__(version, data)
        self.text, self.examples = text_of(version), version.examples
        for (metric, subject), entry in self.text.texts.items():
            is_likert = current_rubric().definition(metric).scale is Scale.LIKERT
            for name, value in asdict(entry).items():
                if name in ("low", "high") and not is_likert:
                    continue
                is_long = name == "how_to_judge"
                self.fields[f"{metric}.{subject}.{name}"] = forms.CharField(
                    initial=value,
                    max_length=LONG_TEXT if is_long else SHORT_TEXT,
                    label=LABELS[name],
                    widget=forms.Textarea(attrs={"rows": 8}) if is_long else forms.TextInput(),
                )
        for place, example in enumerate(self.examples):
            self.fields[f"example.{place}.note"] = forms.CharField(
                initial=example["note"], max_length=SHORT_TEXT, label="Note"
            )
            self.fields[f"example.{place}.remove"] = forms.BooleanField(
                required=False, label="Remove this example"
            )

    def sections(self) -> Iterator[dict[str, object]]:
        """What the page shows: per metric its subjects with their fields, and its examples."""
        for definition in current_rubric().metrics:
            yield {
                "definition": definition,
                "subjects": [
                    (subject, [self[name] for name in self.fields if name.startswith(start)])
                    for metric, subject in self.text.texts
                    if metric is definition.metric
                    for start in [f"{metric}.{subject}."]
                ],
                "examples": [
                    (example, self[f"example.{place}.note"], self[f"example.{place}.remove"])
                    for place, example in enumerate(self.examples)
                    if example["metric"] == definition.metric.value
                ],
            }

    def to_text(self) -> dict[str, object]:
        """The text as `guideline_from_dict` reads it."""
        changed = {
            (metric, subject): QuestionText(
                **{
                    name: self.cleaned_data.get(f"{metric}.{subject}.{name}", value)
                    for name, value in asdict(entry).items()
                }
            )
            for (metric, subject), entry in self.text.texts.items()
        }
        return GuidelineText(self.text.name, changed).to_dict()

    def to_examples(self) -> list[dict[str, Any]]:
        return [
            {**example, "note": self.cleaned_data[f"example.{place}.note"]}
            for place, example in enumerate(self.examples)
            if not self.cleaned_data[f"example.{place}.remove"]
        ]


LABELS = {
    "question": "Question",
    "how_to_judge": "How to judge",
    "low": "1 means",
    "high": "5 means",
}
