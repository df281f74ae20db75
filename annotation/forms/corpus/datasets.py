"""Forms of the data set pages."""

from collections.abc import Sequence
from typing import Any, cast

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet
from django.http import QueryDict

from annotation.engine.corpus.formats.registry import available_formats
from annotation.models import Dataset, Take, Trace
from annotation.selectors.corpus import corpus
from annotation.services.corpus.uploads import UploadRequest


class MultipleFileInput(forms.ClearableFileInput):
    allow_multiple_selected = True


class MultipleFileField(forms.FileField):
    """One or several files; cleans to a list."""

    widget = MultipleFileInput

    def clean(self, data: Any, initial: Any = None) -> list["UploadedFile[Any]"]:
        files: Sequence[Any] = data if isinstance(data, list | tuple) else [data]
        if empty := [file.name for file in files if file and not file.size]:
            are = "is" if len(empty) == 1 else "are"
            raise forms.ValidationError(f"{', '.join(empty)} {are} empty.")
        return [super(MultipleFileField, self).clean(item, initial) for item in files or [None]]


def choose_among(form: forms.Form, **rows: QuerySet[Any]) -> None:
    """Set the rows that fields of a form offer, by field name."""
    for name, queryset in rows.items():
        cast("forms.ModelChoiceField[Any]", form.fields[name]).queryset = queryset


def format_choices() -> list[tuple[str, str]]:
    return [
        ("", "Recognise it from the files"),
        *(
            (item.name, item.title if item.is_verified else f"{item.title} (unverified)")
            for item in available_formats().values()
        ),
    ]


class ImportForm(forms.Form):
    name = forms.CharField(
        max_length=200,
        label="Name of the data set",
        help_text="A new name creates a data set; the name of one of yours updates it.",
    )
    format = forms.ChoiceField(choices=format_choices, required=False, label="Format")
    uploads = MultipleFileField(
        label="Files",
        help_text="The annotation file, several of them, or one zip archive with the folder.",
    )
    is_shared = forms.BooleanField(required=False, label="Every researcher of this site may see it")

    def to_request(self) -> UploadRequest:
        cleaned = self.cleaned_data
        return UploadRequest(
            dataset_name=cleaned["name"],
            format=cleaned["format"],
            is_shared=cleaned["is_shared"],
        )


class VideoFolderForm(forms.Form):
    folder = forms.CharField(
        max_length=500,
        label="Folder",
        help_text="The absolute path of a folder on the server, or s3://bucket/prefix.",
        widget=forms.TextInput(attrs={"list": "opened-places"}),
    )
    pattern = forms.CharField(
        max_length=200,
        label="File names",
        help_text="{stem} is the recording's name, {scenario} its procedure.",
    )


def video_folder_form(dataset: Dataset) -> VideoFolderForm:
    return VideoFolderForm(
        initial={"folder": dataset.video_folder, "pattern": dataset.video_pattern}
    )


class TakeChoiceField(forms.ModelChoiceField):
    """Takes, labelled with their steps and how many are out of order."""

    def label_from_instance(self, obj: Take) -> str:
        step_count = getattr(obj, "step_count", 0)
        kind = "recording" if obj.video_stem else "written procedure"
        return f"{obj.name}: {kind}, {step_count} steps, {obj.order_deviations} out of order"


class ReferenceForm(forms.Form):
    """The take that a trace is read against."""

    take = TakeChoiceField(
        queryset=Take.objects.none(),
        label="Another take of the same procedure",
        to_field_name="public_id",
    )

    def __init__(self, trace: Trace, data: QueryDict | None = None) -> None:
        super().__init__(data, initial={"take": trace.take.public_id})
        takes = corpus.reference_candidates(trace)
        field = TakeChoiceField(
            queryset=takes,
            label="Another take of the same procedure",
            to_field_name="public_id",
            empty_label=None,
        )
        # Read once; the field would read them anew for each look at its choices.
        field.choices = [(take.public_id, field.label_from_instance(take)) for take in takes]
        self.fields["take"] = field
