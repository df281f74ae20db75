"""The form that has a model watch a recording live."""

from typing import Any, cast

from django import forms

from annotation.models import User
from benchmarks.models import ItemSet
from benchmarks.selectors.item_sets import task_of
from benchmarks.services.assessments import MOST_PICTURES
from benchmarks.services.live import MOST_STRIDE_S, LiveRequest
from generation.models import TextEndpoint
from generation.selectors.calls.endpoints import endpoints_for_user


class LiveForm(forms.Form):
    endpoint = forms.ChoiceField(label="Text model")
    stride_s = forms.FloatField(
        min_value=0,
        max_value=MOST_STRIDE_S,
        initial=2.0,
        label="Seconds between decisions",
        help_text="At least 0.5; 0 for the points of the set. What comes while the model is still"
        " asked is skipped and counted.",
    )
    pictures = forms.IntegerField(
        min_value=0, max_value=MOST_PICTURES, initial=4, label="Pictures of each stretch"
    )
    temperature = forms.FloatField(
        min_value=0, max_value=2, initial=0.0, required=False, label="Temperature"
    )
    budget_usd = forms.FloatField(min_value=0, required=False, label="Budget in US dollars")

    def __init__(self, *args: Any, user: User, item_set: ItemSet, **more: Any) -> None:
        super().__init__(*args, **more)
        models = endpoints_for_user(user, TextEndpoint).order_by("name")
        named = list(models.values_list("public_id", "name"))
        cast(forms.ChoiceField, self.fields["endpoint"]).choices = named
        self.roles = task_of(item_set).roles(item_set.settings)
        for role, title in self.roles.items():
            self.fields[f"role_{role}"] = forms.ChoiceField(
                choices=[("", "the same model"), *named], required=False, label=title
            )
        self.order_fields(["endpoint", *(f"role_{role}" for role in self.roles)])

    def to_request(self) -> LiveRequest:
        cleaned = {**self.cleaned_data}
        roles = {role: cleaned.pop(f"role_{role}") for role in self.roles}
        return LiveRequest(**cleaned, roles={role: name for role, name in roles.items() if name})
