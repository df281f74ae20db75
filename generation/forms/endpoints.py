"""The forms of endpoints. A key goes in and is never shown again."""

from collections.abc import Callable
from typing import Any, ClassVar, cast

from django import forms
from django.db import models

from generation.backends.text.model import ImageDetail
from generation.backends.text.registry import DEFAULT_PROTOCOL, protocol_choices
from generation.backends.video.providers.adapter import Adapter
from generation.backends.video.providers.registry import providers
from generation.models import TextEndpoint, VideoEndpoint
from generation.models.setting_ranges import field_arguments
from generation.services.calls.endpoints import EndpointSettings
from generation.services.clips.endpoints import VideoEndpointSettings
from generation.services.texts.endpoints import TextEndpointSettings

KEY_CHARACTERS = 500
# The provider that the form of a new video model begins with.
USUAL_PROVIDER = "openrouter"


def setting_field(column: "models.Field[Any, Any]", **settings: Any) -> forms.Field | None:
    """The field of a setting, with the range of its column."""
    return column.formfield(**field_arguments(column), **settings)


class EndpointForm(forms.ModelForm):
    """The settings of every kind of endpoint; `Settings` is the class that services take."""

    Settings: ClassVar[type[EndpointSettings]]

    api_key = forms.CharField(
        required=False,
        max_length=KEY_CHARACTERS,
        label="Key",
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text="Kept encrypted and never shown again.",
    )
    removes_key = forms.BooleanField(required=False, label="Remove the stored key")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.has_key:
            self.fields["api_key"].help_text += " Leave it empty to keep the stored one."

    def to_settings(self) -> EndpointSettings:
        return self.Settings(**{name: self.cleaned_data[name] for name in self.Settings.names()})

    def typed_key(self) -> str | None:
        """The new key, "" to remove the stored one, None to keep it."""
        if self.cleaned_data["removes_key"]:
            return ""
        return self.cleaned_data["api_key"] or None


class TextEndpointForm(EndpointForm):
    """The settings of a text model."""

    Settings = TextEndpointSettings

    protocol = forms.ChoiceField(
        choices=protocol_choices,
        required=False,
        initial=DEFAULT_PROTOCOL,
        help_text="The protocol that the server speaks.",
    )
    image_detail = forms.ChoiceField(
        choices=TextEndpoint.DETAILS,
        required=False,
        initial=ImageDetail.LOW.value,
        label="Detail of pictures",
        help_text="How closely the model looks at pictures; more detail costs more.",
    )

    class Meta:
        model = TextEndpoint
        fields = TextEndpointSettings.names()
        formfield_callback = setting_field
        labels = {
            "base_url": "Base URL",
            "model_name": "Model",
            "api_style": "Form of requests",
            "supports_images": "The model takes images",
            "takes_temperature": "Send a temperature (reasoning models often refuse it)",
            "reasoning_effort": "Reasoning effort",
            "is_shared": "Every researcher of this site may use it",
            "concurrency": "Requests at the same time",
            "requests_per_minute": "Requests per minute",
            "timeout_s": "Time-out in seconds",
            "price_in": "US dollars per million tokens in",
            "price_out": "US dollars per million tokens out",
        }
        help_texts = {
            "concurrency": "Counted over all workers of this site.",
            "requests_per_minute": "Empty: no limit.",
            "price_in": "Empty: unknown. A run with a budget needs both prices.",
            "base_url": "The part before /chat/completions or /responses, "
            "for example https://api.openai.com/v1 or http://127.0.0.1:8000/v1.",
            "model_name": "The name that the server uses.",
            "api_style": (
                "Chat completions for llama.cpp and most other self-hosted servers: llama.cpp's"
                " Responses ignore the required form of an answer."
            ),
            "reasoning_effort": (
                "For reasoning models; more effort takes longer and costs more. The limit"
                " on answers leaves room for it."
            ),
        }

    def clean_protocol(self) -> str:
        """The protocol; a script that sends the form may leave it out."""
        return self.cleaned_data["protocol"] or DEFAULT_PROTOCOL

    def clean_image_detail(self) -> str:
        """The detail; a script that sends the form may leave it out."""
        return self.cleaned_data["image_detail"] or ImageDetail.LOW.value


def provider_choices() -> list[tuple[str, str]]:
    """The adapters, as a form offers them; the usual one comes first."""
    adapters = providers()
    names = sorted(adapters, key=lambda name: name != USUAL_PROVIDER)
    return [(name, adapters[name].title) for name in names]


def names_of(condition: Callable[[Adapter], object]) -> str:
    """The titles of the providers for which a condition holds, as a list in a sentence."""
    *titles, last = (adapter.title for adapter in providers().values() if condition(adapter))
    return f"{', '.join(titles)} and {last}" if titles else last


class VideoEndpointForm(EndpointForm):
    """The settings of a provider of clips."""

    Settings = VideoEndpointSettings

    provider = forms.ChoiceField(choices=provider_choices, initial=USUAL_PROVIDER)
    base_url = forms.CharField(required=False, max_length=500, label="Base URL")
    model_name = forms.CharField(
        required=False,
        max_length=200,
        label="Model",
        help_text="The provider's name for it, for example google/veo-3.1 at OpenRouter. Empty: the"
        " provider's usual model; a server of your own has none.",
    )

    class Meta:
        model = VideoEndpoint
        fields = VideoEndpointSettings.names()
        formfield_callback = setting_field
        labels = {
            "is_shared": "Every researcher of this site may use it",
            "lengths": "Lengths in seconds",
            "sizes": "Sizes in pixels",
            "takes_last_frame": "It accepts a last frame (vLLM-Omni with MiniMax H3 does)",
            "concurrency": "Jobs at the same time",
            "requests_per_minute": "Orders per minute",
            "timeout_s": "Seconds that a job may take",
            "price_per_second": "US dollars per second of clip",
        }
        help_texts = {
            "concurrency": "Counted over all workers of this site.",
            "requests_per_minute": "Empty: no limit.",
            "lengths": "For example 4, 8, 12 or 3-10. Empty: 4, 8, 12.",
            "sizes": "Empty: 1280x720, 720x1280.",
            "timeout_s": "A job that takes longer is not lost: retrying the take fetches it.",
            "price_per_second": (
                "Empty: as the service publishes it (OpenRouter), else unknown. A run with a budget"
                " needs a price. What a job really cost comes from the provider's own report."
            ),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.provider and self.instance.provider not in providers():
            # Its adapter no longer exists; do not silently select another provider for it.
            choices = [("", "Choose a provider"), *provider_choices()]
            cast("forms.ChoiceField", self.fields["provider"]).choices = choices
        self.fields["base_url"].help_text = (
            "As in the provider's documentation, up to where the paths begin. Empty: the usual"
            f" address of {names_of(lambda adapter: adapter.usual_base_url)}."
        )
        self.fields["api_key"].help_text += (
            f" {names_of(lambda adapter: adapter.takes_key_pair)} takes one key, or an older pair"
            " with a colon between its halves. A server of your own may need none."
        )

    @property
    def is_about_own_server(self) -> bool:
        """Whether to open the section about self-hosted servers: it has values or errors."""
        names = ("lengths", "sizes", "takes_last_frame")
        return any(self[name].value() or self.errors.get(name) for name in names)
