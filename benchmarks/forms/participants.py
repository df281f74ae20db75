"""Forms for participants of a set: add them, answer, and have answers judged."""

from collections.abc import Sequence
from typing import Any, cast

from django import forms
from django.http import QueryDict

from benchmarks.engine.answers.values import INTERVAL_FIELDS, NUMBERED_FIELDS, SAID_FIELDS
from benchmarks.engine.frame_values import runs_of_frames
from benchmarks.engine.task import AnswerShape, Item, Task, Value
from benchmarks.engine.training.recipes import CODE, MAJORITY, MEAN, PAPER, kinds_for
from benchmarks.selectors.item_sets import (
    example_items,
    named_judges,
    task_of,
)
from benchmarks.selectors.readers import Reader
from benchmarks.selectors.training import trainable_feature_sets
from benchmarks.services.askable import agents_for, judges_open_to
from benchmarks.services.assessments import (
    MOST_PICTURES,
    MOST_REPEATS,
    PICTURE_SIDES,
    AskRequest,
)
from benchmarks.services.judging import JudgePrice
from benchmarks.services.training import MOST_EPOCHS, MOST_GAMMA, MOST_SEEDS, TrainRequest
from benchmarks.services.uploads import AnswerUpload
from generation.backends.text.model import ImageDetail
from generation.models import TextEndpoint
from generation.selectors.calls.endpoints import endpoints_for_user

FEATURE_TITLES = (
    "Features",
    "Second features (V3: audio)",
    "Third features (V3: text)",
    "Fourth features (V3: depth)",
)
# Of a choice field: what is sent, and what is read.
Pairs = list[tuple[str, str]]
ONLY_NAMED = "Judges read the truth, which you may not see: the owner of the set names them."
PRESET_TITLES = [(PAPER, "as the paper says"), (CODE, "as its released code does")]


class ParticipantForm(forms.Form):
    """The base of forms that add a participant to a set."""

    prefix: str

    def __init__(self, *args: Any, reader: Reader, **more: Any) -> None:
        super().__init__(*args, **more)
        self.reader, self.user, self.item_set = reader, reader.user, reader.item_set

    def to_request(self) -> object:
        raise NotImplementedError


class AskForm(ParticipantForm):
    """Which text model or agent answers, and how it is asked."""

    prefix = "ask"
    endpoint = forms.ChoiceField(label="Text model or agent")
    variant = forms.ChoiceField(label="Way to ask", help_text="Each is a row of its own.")
    pictures = forms.IntegerField(
        min_value=0, max_value=MOST_PICTURES, initial=4, label="Pictures per item"
    )
    picture_side = forms.IntegerField(
        min_value=PICTURE_SIDES[0],
        max_value=PICTURE_SIDES[1],
        initial=PICTURE_SIDES[1],
        label="Longest side of a picture, in pixels",
    )
    picture_detail = forms.ChoiceField(
        choices=[(detail.value, detail.value) for detail in ImageDetail],
        initial=ImageDetail.LOW.value,
        label="Picture detail",
    )
    repeats = forms.IntegerField(min_value=1, max_value=MOST_REPEATS, initial=1, label="Repeats")
    temperature = forms.FloatField(
        min_value=0, max_value=2, initial=0.0, required=False, label="Temperature"
    )
    budget_usd = forms.FloatField(min_value=0, required=False, label="Budget in US dollars")
    limit = forms.IntegerField(
        min_value=1,
        required=False,
        label="Items to ask about (empty: all)",
        help_text="A sample, the same for every participant. It is never bold in the table.",
    )
    judges = forms.ModelMultipleChoiceField(
        TextEndpoint.objects.none(),
        to_field_name="public_id",
        required=False,
        label="Judges",
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        task, names = task_of(self.item_set), ("public_id", "name")
        models = endpoints_for_user(self.user, TextEndpoint).order_by("name")
        agents = agents_for(self.user, self.item_set).order_by("name")
        self.models = list(models.values_list(*names))
        groups = {"Text models": self.models, "Agents": list(agents.values_list(*names))}
        choices = [(title, pairs) for title, pairs in groups.items() if pairs]
        cast(forms.ChoiceField, self.fields["endpoint"]).choices = choices
        if task.is_judged:
            self._offer_judges()
        else:
            del self.fields["judges"]
        if task.variants:
            has_examples = example_items(self.item_set).exists()
            ways = [
                (variant.name, variant.title)
                for variant in task.variants
                if has_examples or not variant.has_examples
            ]
            cast(forms.ChoiceField, self.fields["variant"]).choices = ways
        else:
            del self.fields["variant"]
        self.roles = task.roles(self.item_set.settings)
        same = ("", "the same model")
        for role, title in self.roles.items():
            self.fields[f"role_{role}"] = forms.ChoiceField(
                choices=[same, *self.models], required=False, label=title
            )
        self.order_fields(["endpoint", *(f"role_{role}" for role in self.roles)])

    def _offer_judges(self) -> None:
        field = cast(forms.ModelChoiceField, self.fields["judges"])
        if self.reader.sees_truth:
            field.queryset = endpoints_for_user(self.user, TextEndpoint)
            # Read once for all the fields that offer them.
            field.choices = self.models
        else:
            judges = judges_open_to(self.user, self.item_set, sees_truth=False)
            field.queryset = judges.order_by("name")
            field.help_text = ONLY_NAMED

    def to_request(self) -> AskRequest:
        cleaned = {**self.cleaned_data}
        cleaned["judges"] = [row.public_id for row in cleaned.get("judges", ())]
        roles = {role: cleaned.pop(f"role_{role}") for role in self.roles}
        return AskRequest(**cleaned, roles={role: name for role, name in roles.items() if name})


class JudgeForm(forms.Form):
    """Which text models grade final answers; each choice names its cost."""

    judges = forms.MultipleChoiceField(label="Judges", widget=forms.CheckboxSelectMultiple)
    budget_usd = forms.FloatField(
        min_value=0,
        required=False,
        label="Spend at most, in US dollars",
        help_text="On these grades; beyond it the judges stop, and more money lets them go on.",
    )

    def __init__(self, *args: Any, prices: Sequence[JudgePrice], **more: Any) -> None:
        super().__init__(*args, **more)
        cast(forms.MultipleChoiceField, self.fields["judges"]).choices = [
            (price.endpoint.public_id, price.words) for price in prices
        ]


class NamedJudgesForm(forms.Form):
    """Which text models also participants may let grade who may not see the truth of a set."""

    judges = forms.ModelMultipleChoiceField(
        TextEndpoint.objects.none(),
        to_field_name="public_id",
        required=False,
        label="Judges for everybody",
        help_text=(
            "Their servers are sent the truth: name only models whose owner you trust. One that"
            " gets another server has to be named again."
        ),
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, *args: Any, reader: Reader, models: Pairs, **more: Any) -> None:
        """`models` are the ids and names of the text models that the user may use."""
        super().__init__(*args, **more)
        self.initial["judges"] = [judge.public_id for judge in named_judges(reader.item_set)]
        field = cast(forms.ModelChoiceField, self.fields["judges"])
        field.queryset = endpoints_for_user(reader.user, TextEndpoint)
        field.choices = models


class TrainForm(ParticipantForm):
    """Which model is trained on which features; numbers left empty are those of the preset."""

    prefix = "train"
    model = forms.ChoiceField(label="Model")
    preset = forms.ChoiceField(
        label="Preset",
        help_text="Learning rate, epochs, weights, batches and threshold.",
    )
    seeds = forms.IntegerField(
        min_value=1,
        max_value=MOST_SEEDS,
        initial=3,
        label="Seeds",
        help_text="A model for each; figures are their mean.",
    )
    epochs = forms.IntegerField(
        min_value=1, max_value=MOST_EPOCHS, required=False, label="Epochs (empty: the preset’s)"
    )
    learning_rate = forms.FloatField(
        min_value=0, max_value=1, required=False, label="Learning rate (empty: the preset’s)"
    )
    beta = forms.FloatField(
        min_value=0, max_value=1, required=False, label="Beta of class weights (empty: 0.9999)"
    )
    gamma = forms.FloatField(
        min_value=0,
        max_value=MOST_GAMMA,
        required=False,
        label="Gamma of the focal loss, of MLP-focal alone (empty: 2)",
    )
    step_score = forms.ChoiceField(
        choices=[
            (MEAN, "the mean of its rows’ scores"),
            (MAJORITY, "the majority of its rows"),
        ],
        label="Score of a step",
    )
    name = forms.CharField(
        max_length=250, required=False, label="Participant (empty: model and features)"
    )

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.sets = list(trainable_feature_sets(self.user, self.item_set))
        kinds = kinds_for(task_of(self.item_set).learns)
        there = [kind for kind in kinds if not kind.what_is_missing()]
        self.missing = [kind.title for kind in kinds if kind not in there]
        is_of_segments = there[0].is_of_segments
        for name in ("step_score",) if is_of_segments else ("beta", "gamma"):
            del self.fields[name]
        choices = {
            "model": [(kind.name, kind.title) for kind in there],
            "preset": PRESET_TITLES[:1] if is_of_segments else PRESET_TITLES,
        }
        for name, pairs in choices.items():
            cast(forms.ChoiceField, self.fields[name]).choices = pairs
        self._titles = FEATURE_TITLES[: max(kind.most_sets for kind in there)]
        shown = [(row.public_id, f"{row.name} ({row.width} wide)") for row in self.sets]
        places = {
            f"features_{place}": forms.ChoiceField(
                choices=shown if place == 1 else [("", "–"), *shown],
                required=place == 1,
                label=title,
            )
            for place, title in enumerate(self._titles, start=1)
        }
        self.fields |= places
        self.order_fields(["model", *places])

    def to_request(self) -> TrainRequest:
        cleaned = {**self.cleaned_data}
        places = [cleaned.pop(f"features_{place + 1}") for place in range(len(self._titles))]
        return TrainRequest(**cleaned, features=[chosen for chosen in places if chosen])


class UploadForm(ParticipantForm):
    prefix = "upload"
    name = forms.CharField(
        max_length=300, label="Participant", help_text="The exact name, with its version."
    )
    file = forms.FileField(
        label="Answers",
        help_text="CSV or JSON lines, as the template; numbers of frames also as .npz.",
    )
    counts_missing = forms.BooleanField(
        required=False, label="Count items without an answer as wrong, in every figure"
    )

    def to_request(self) -> AnswerUpload:
        return AnswerUpload.of(**self.cleaned_data)


class PersonForm(forms.Form):
    prefix = "person"
    username = forms.CharField(max_length=150, label="Account")


# The shapes that are typed as lines: the field, and what stands in a line.
LINES = {
    AnswerShape.INTERVALS: ("intervals", INTERVAL_FIELDS[:3]),
    AnswerShape.FRAMES: ("intervals", NUMBERED_FIELDS),
    AnswerShape.SPEECH: ("said", SAID_FIELDS),
}


class AnswerForm(forms.Form):
    def __init__(
        self, data: QueryDict | None, *, task: Task, item: Item, value: Value | None = None
    ) -> None:
        """`value` is what the person answered before."""
        super().__init__(data, initial=_shown_value(value))
        self.shape = task.shape
        if self.shape is AnswerShape.INTERVALS:
            labels = f"Labels: {', '.join(item.choices)}."
            words = f"label. Empty: there is none. {labels}"
            self.fields["intervals"] = _lines_field("Intervals", words)
        elif self.shape is AnswerShape.FRAMES:
            words = "number. All other frames are 0."
            self.fields["intervals"] = _lines_field("Numbers", words)
        elif self.shape is AnswerShape.SPEECH:
            self.fields["said"] = forms.CharField(
                required=False,
                label="Said so far",
                widget=forms.Textarea(attrs={"rows": 8}),
                help_text="A line each: second, words. Empty: you say nothing.",
            )
        elif self.shape is AnswerShape.TEXT:
            self.fields["text"] = forms.CharField(
                label="Your answer", widget=forms.Textarea(attrs={"rows": 4})
            )
        else:
            choices = [(choice, choice) for choice in item.choices]
            self.fields["answer"] = (
                forms.ChoiceField(choices=choices, widget=forms.RadioSelect, label="Your answer")
                if choices
                else forms.CharField(label="Your answer")
            )
            if self.shape is AnswerShape.STREAM:
                self.fields["text"] = forms.CharField(
                    required=False, label="What you would say, if anything"
                )

    def to_fields(self) -> dict[str, Any]:
        """The fields of the shape. Malformed lines pass through, and the service refuses them."""
        if self.shape not in LINES:
            return dict(self.cleaned_data)
        field, names = LINES[self.shape]
        lines = [line for line in self.cleaned_data[field].splitlines() if line.strip()]
        parts = [[part.strip() for part in line.split(",", len(names) - 1)] for line in lines]
        return {field: [dict(zip(names, part, strict=False)) for part in parts]}


def _lines_field(label: str, words: str) -> forms.CharField:
    return forms.CharField(
        required=False,
        label=label,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text=f"A line each: from second, to second, {words}",
    )


def _shown_value(value: Value | None) -> dict[str, Any]:
    shown = dict(value or {})
    if "intervals" in shown:
        shown["intervals"] = "\n".join(
            f"{row['start_s']:g}, {row['end_s']:g}, {row['label']}" for row in shown["intervals"]
        )
    if "said" in shown:
        shown["said"] = "\n".join(f"{one['time_s']:g}, {one['text']}" for one in shown["said"])
    if "frames" in shown:
        shown["intervals"] = "\n".join(
            f"{interval['start_s']:g}, {interval['end_s']:g}, {interval['number']:g}"
            for interval in runs_of_frames(shown)
            if interval["number"]
        )
    return shown
