"""The form of an endpoint. The key goes in and never comes out."""

from typing import Any

from django import forms

from generation.models import TextEndpoint
from generation.services.endpoints import EndpointSettings

MAX_CONCURRENCY = 256
MAX_TIMEOUT_S = 900
KEY_CHARACTERS = 500


class EndpointForm(forms.ModelForm):
    """What can be set at an endpoint."""

    api_key = forms.CharField(
        required=False,
        max_length=KEY_CHARACTERS,
        label="Key",
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        help_text="Kept encrypted and never shown again. Leave it empty to keep the stored one.",
    )
    removes_key = forms.BooleanField(required=False, label="Remove the stored key")
    concurrency = forms.IntegerField(
        min_value=1,
        max_value=MAX_CONCURRENCY,
        initial=4,
        label="Requests at the same time",
        help_text="All workers of this site together.",
    )
    timeout_s = forms.IntegerField(
        min_value=1, max_value=MAX_TIMEOUT_S, initial=120, label="Time-out in seconds"
    )

    class Meta:
        model = TextEndpoint
        fields = [
            "name",
            "base_url",
            "model_name",
            "api_style",
            "supports_images",
            "takes_temperature",
            "concurrency",
            "requests_per_minute",
            "timeout_s",
            "price_in",
            "price_out",
            "is_shared",
        ]
        labels = {
            "base_url": "Base URL",
            "model_name": "Model",
            "api_style": "Protocol",
            "supports_images": "The model takes images",
            "takes_temperature": "The model takes a temperature (many that think first do not)",
            "requests_per_minute": "Requests per minute",
            "price_in": "US dollars per million tokens in",
            "price_out": "US dollars per million tokens out",
            "is_shared": "Every researcher of this site may use it",
        }
        help_texts = {
            "base_url": "The part before /chat/completions or /responses, "
            "for example https://api.openai.com/v1 or http://127.0.0.1:8000/v1.",
            "model_name": "As the server calls it.",
            "requests_per_minute": "Empty: no limit.",
            "price_in": "Empty: unknown. A run with a budget needs both prices.",
        }

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        prices = cleaned.get("price_in"), cleaned.get("price_out")
        if (prices[0] is None) != (prices[1] is None) and not self.errors:
            self.add_error("price_out", "Give both prices, or neither.")
        return cleaned

    def to_settings(self) -> EndpointSettings:
        return EndpointSettings(
            **{name: self.cleaned_data[name] for name in EndpointSettings.__dataclass_fields__}
        )

    def typed_key(self) -> str | None:
        """Return the new key, "" to remove the stored one, None to keep it."""
        if self.cleaned_data["removes_key"]:
            return ""
        return self.cleaned_data["api_key"] or None
