"""Forms for the results of a round of segments: a data set, a file."""

from django import forms

from segments.formats.exchange import Settings, segment_formats
from segments.services.export import MOST_RATE, SegmentExport
from segments.services.publish import NewDataset


class PublishForm(forms.Form):
    name = forms.CharField(
        label="Name of the new data set", max_length=200,
        help_text="A name that no data set has yet: nothing is added to one that exists.",
    )  # fmt: skip
    is_shared = forms.BooleanField(
        label="Share it with every researcher of this site", required=False
    )

    def to_dataset(self) -> NewDataset:
        return NewDataset(self.cleaned_data["name"].strip(), self.cleaned_data["is_shared"])


class SegmentExportForm(forms.Form):
    format = forms.ChoiceField(label="Format", initial="piev")
    person = forms.ChoiceField(label="Whose segments", required=False)
    rate = forms.FloatField(
        label="Frames per second", required=False, min_value=0.1, max_value=MOST_RATE,
        help_text="Only for formats that count frames, where the recording's rate is not known.",
    )  # fmt: skip

    def __init__(self, people: dict[str, str], *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        formats = [(item.name, item.title) for item in segment_formats().values()]
        self.fields["format"].choices = formats  # type: ignore[attr-defined]
        own = [(code, f"{name} (as {code})") for code, name in people.items()]
        self.fields["person"].choices = [("", "everybody's"), *own]  # type: ignore[attr-defined]

    def to_export(self) -> SegmentExport:
        data = self.cleaned_data
        form = segment_formats()[data["format"]]
        return SegmentExport(form, Settings(rate=data["rate"]), person=data["person"])
