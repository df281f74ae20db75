"""The form of a task graph's page."""

from urllib.parse import urlencode

from django import forms
from django.http import QueryDict

from benchmarks.services.item_sets import MAX_SEED

# The most orders drawn at once; who needs more uses `sampled_orders` in a program.
MOST_ORDERS = 200


class OrdersForm(forms.Form):
    """How many valid orders of a task graph are drawn, and from which seed."""

    count = forms.IntegerField(min_value=1, max_value=MOST_ORDERS, initial=5, label="Orders")
    seed = forms.IntegerField(min_value=0, max_value=MAX_SEED, initial=0, label="Seed")

    def __init__(self, parameters: QueryDict) -> None:
        """Fields that the address lacks get their initial values."""
        usual = {name: field.initial for name, field in self.base_fields.items()}
        super().__init__({name: parameters.get(name, value) for name, value in usual.items()})

    @property
    def query(self) -> str:
        """The query string that draws the same orders again."""
        return urlencode({name: self.value_of(name) for name in self.base_fields})

    def value_of(self, name: str) -> int:
        """The value of a field, or its initial one where the value is refused."""
        self.is_valid()
        return int(self.cleaned_data.get(name, self.base_fields[name].initial))
