"""The form of a task graph's page."""

from urllib.parse import urlencode

from django import forms
from django.http import QueryDict

from benchmarks.services.item_sets import MAX_SEED

# Drawn at once: more are a program's work (`sampled_orders`).
MOST_ORDERS = 200


class OrdersForm(forms.Form):
    """How many valid orders of a task graph are drawn, and from which seed."""

    count = forms.IntegerField(min_value=1, max_value=MOST_ORDERS, initial=5, label="Orders")
    seed = forms.IntegerField(min_value=0, max_value=MAX_SEED, initial=0, label="Seed")

    def __init__(self, given: QueryDict) -> None:
        """An address without the fields asks for the usual ones."""
        usual = {name: field.initial for name, field in self.base_fields.items()}
        super().__init__({name: given.get(name, value) for name, value in usual.items()})

    @property
    def query(self) -> str:
        """The address that draws the same orders again."""
        return urlencode({name: self.value_of(name) for name in self.base_fields})

    def value_of(self, name: str) -> int:
        """What was asked for, or the usual where that is refused."""
        self.is_valid()
        return int(self.cleaned_data.get(name, self.base_fields[name].initial))
