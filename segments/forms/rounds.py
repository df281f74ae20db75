"""Forms of rounds of segments, of predictions for them, and of their guideline."""

from typing import Any, cast

from django import forms
from django.db.models import QuerySet
from django.http import QueryDict

from annotation.engine.limits import limits
from annotation.forms.campaigns.rounds import LONG_TEXT, DraftForm, GuidelineChoice
from annotation.forms.corpus.datasets import MultipleFileField, choose_among
from annotation.models import Campaign, Dataset, GuidelineVersion, Phase, Round, User
from segments.engine.scheme import available_schemes
from segments.formats.exchange import segment_formats
from segments.models import PublishedAs, SegmentSource, Stage
from segments.services.proposals import ProposalRequest
from segments.services.recordings import Chosen
from segments.services.rounds import NewSegmentRound

WORK = {
    Stage.LABEL: "Label: people mark the segments themselves",
    Stage.AUDIT: "Audit: people answer questions about segments, and change nothing",
    Stage.CORRECT: "Correct: people mend what an audit said no to",
    Stage.REVIEW: "Review: a second person confirms or changes submitted segments",
    Stage.ADJUDICATE: "Adjudicate: one decides where people differ",
}
RECORDINGS = {
    "both": "References and recordings with mistakes",
    "takes": "References only",
    "traces": "Recordings with mistakes only",
}


def schemes_to_choose() -> list[tuple[str, str]]:
    return [(name, versions[-1].title) for name, versions in available_schemes().items()]


class SegmentRoundForm(forms.Form):
    stage = forms.ChoiceField(choices=WORK.items(), label="What people do")
    scheme = forms.ChoiceField(
        choices=schemes_to_choose,
        initial="egooops",
        label="Scheme",
        help_text="Which tracks there are, how segments may lie, and what is asked about them.",
    )
    source = forms.ChoiceField(
        label="People begin with",
        help_text="Nobody who works in the round is told where segments come from.",
    )
    has_locked_edges = forms.BooleanField(
        required=False,
        label="Lock the edges: people only name the given segments",
        help_text="Labels and texts are removed first.",
    )
    guideline = GuidelineChoice(
        queryset=GuidelineVersion.objects.none(),
        to_field_name="number",
        required=False,
        empty_label="The newest for the scheme, or a new one from its boundaries",
        label="Guideline version",
        help_text="Its text can no longer change once the round is open.",
    )
    recordings = forms.ChoiceField(
        choices=RECORDINGS.items(),
        label="Recordings",
        help_text="A round that goes on from an earlier one has the recordings of that round.",
    )
    datasets = forms.ModelMultipleChoiceField(
        queryset=Dataset.objects.none(),
        to_field_name="public_id",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Of the data sets",
        help_text="None ticked: all of the campaign's.",
    )
    takes_become = forms.ChoiceField(
        choices=PublishedAs.choices,
        label="A recording of a reference is published as",
        help_text="Choose “A trace” where recordings with mistakes were imported with their"
        " procedure only.",
    )
    one_in = forms.IntegerField(
        **limits(Chosen, "one_in", default_as="initial"),
        label="One recording in",
        help_text="Of every scenario, drawn with the seed. 1: all of them; 10: one in ten, to label"
        " a sample again.",
    )
    needs_video = forms.BooleanField(
        required=False, initial=True, label="Leave out recordings without a linked video"
    )
    overlap = forms.IntegerField(
        **limits(NewSegmentRound, "overlap", default_as="initial"),
        label="People per recording (k)",
        help_text="Agreement and onsets need 2. Correcting, reviewing and deciding is for one.",
    )
    people = forms.ModelMultipleChoiceField(
        queryset=User.objects.none(),
        to_field_name="username",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="People",
        help_text="None ticked: everybody in the campaign. Nobody gets what goes on from work of"
        " their own.",
    )
    hides_author = forms.BooleanField(
        required=False, initial=True, label="Hide from reviewers whose work it is"
    )
    control_count = forms.IntegerField(
        **limits(NewSegmentRound, "control_count"),
        required=False,
        label="Untouched controls",
        help_text="Mixed into an audit of corrected recordings. Empty: as many as were corrected.",
    )
    phase = forms.ChoiceField(
        choices=[(Phase.PILOT, "Pilot"), (Phase.MAIN, "Main")],
        label="Phase",
        help_text="A pilot first: it shows whether people understand the guideline. Figures of"
        " pilots are never pooled with those of main rounds.",
    )
    resolution_s = forms.FloatField(
        **limits(NewSegmentRound, "resolution_s"),
        required=False,
        label="Step of edges in seconds",
        help_text="Empty: that of the scheme; a frame where it names none.",
    )
    seed = forms.IntegerField(
        **limits(NewSegmentRound, "seed", default_as="initial"),
        label="Seed",
        help_text="Draws recordings and decides who gets which, in which order.",
    )
    stop_rule = forms.CharField(
        required=False,
        **limits(NewSegmentRound, "stop_rule"),
        widget=forms.Textarea(attrs={"rows": 3}),
        label="Stop rule and hypotheses",
        help_text="Written before the round: when it ends and what is reported.",
    )

    def __init__(
        self, campaign: Campaign, data: QueryDict | None = None, *, initial: Any = None
    ) -> None:
        super().__init__(data, initial=initial)
        self.campaign = campaign
        members = User.objects.filter(campaign_memberships__campaign=campaign)
        choose_among(
            self,
            guideline=campaign.guideline_versions.order_by("-number"),
            datasets=campaign.datasets.order_by("name"),
            people=members.order_by("username"),
        )
        cast("forms.ChoiceField", self.fields["source"]).choices = [
            (SegmentSource.NONE.value, "Nothing"),
            (SegmentSource.STEPS.value, "The times of the data set"),
            (SegmentSource.FILE.value, "A file of predictions (uploaded once it is planned)"),
            *(
                (f"round-{round_.number}", f"Round {round_.number}: {round_.segments.stage}")
                for round_ in self._earlier()
            ),
        ]

    def _earlier(self) -> QuerySet[Round]:
        rounds = self.campaign.rounds.filter(opened_at__isnull=False)
        return rounds.select_related("segments").order_by("-number")

    def to_round(self) -> NewSegmentRound:
        data = dict(self.cleaned_data)
        source = data.pop("source")
        number = source.removeprefix("round-") if source.startswith("round-") else ""
        recordings = data.pop("recordings")
        datasets, people = data.pop("datasets"), data.pop("people")
        chosen = Chosen(
            datasets=list(datasets) or None,
            has_takes=recordings != "traces",
            has_traces=recordings != "takes",
            takes_become=PublishedAs(data.pop("takes_become")),
            one_in=data.pop("one_in"),
            needs_video=data.pop("needs_video"),
        )
        data["stage"], data["phase"] = Stage(data["stage"]), Phase(data["phase"])
        return NewSegmentRound(
            **data,
            chosen=chosen,
            people=list(people) or None,
            source=SegmentSource.ROUND if number else SegmentSource(source),
            source_round=self._earlier().get(number=int(number)) if number else None,
        )


def formats_to_choose() -> list[tuple[str, str]]:
    return [(item.name, f"{item.title} ({item.suffix})") for item in segment_formats().values()]


class ProposalForm(forms.Form):
    uploads = MultipleFileField(
        label="Files", help_text="One file, several, or a zip archive of them."
    )
    format = forms.ChoiceField(choices=formats_to_choose, initial="table", label="Format")
    source = forms.CharField(
        **limits(ProposalRequest, "source"),
        label="What made these segments",
        help_text="A model with its version, or a person. Nobody who works in the round reads it.",
    )
    rate = forms.FloatField(
        **limits(ProposalRequest, "rate"),
        required=False,
        label="Frames per second",
        help_text="For formats that count frames and do not say their rate.",
    )
    first_frame = forms.TypedChoiceField(
        choices=[(1, "1, as Label Studio's editor counts"), (0, "0, as scripts often count")],
        coerce=int,
        initial=1,
        label="The first frame is number",
    )

    def to_request(self) -> ProposalRequest:
        data = {name: value for name, value in self.cleaned_data.items() if name != "uploads"}
        return ProposalRequest(**data)


class SegmentGuidelineForm(DraftForm):
    text = forms.CharField(
        max_length=10 * LONG_TEXT,
        widget=forms.Textarea(attrs={"rows": 14}),
        label="When a segment begins and ends",
    )

    def __init__(self, version: GuidelineVersion, data: QueryDict | None = None) -> None:
        super().__init__(version, data, text=version.text["text"])

    def to_text(self) -> dict[str, object]:
        return {"text": self.cleaned_data["text"]}

    def to_examples(self) -> list[dict[str, Any]]:
        return []
