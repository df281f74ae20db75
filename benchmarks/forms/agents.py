"""The form of an agent. Its key goes in and is never shown again."""

from django import forms

from benchmarks.models import AgentEndpoint
from benchmarks.services.agents import AgentEndpointSettings
from generation.forms.endpoints import EndpointForm, setting_field


class AgentEndpointForm(EndpointForm):
    """The settings of an agent; its model's name comes from its card."""

    Settings = AgentEndpointSettings

    model_name = forms.CharField(required=False, widget=forms.HiddenInput)

    class Meta:
        model = AgentEndpoint
        fields = AgentEndpointSettings.names()
        formfield_callback = setting_field
        labels = {
            "base_url": "Address",
            "is_shared": "Every researcher of this site may use it",
            "concurrency": "Questions at the same time",
            "requests_per_minute": "Questions per minute",
            "timeout_s": "Time-out in seconds",
            "price_per_question": "US dollars per question",
        }
        help_texts = {
            "base_url": "Where its card is found below /.well-known/, for example"
            " https://agent.example or http://127.0.0.1:9019. The card must name the same server.",
            "concurrency": "Counted over all workers of this site.",
            "requests_per_minute": "Empty: no limit.",
            "timeout_s": "An answer that takes longer counts as failed.",
            "price_per_question": "Empty: unknown. An assessment with a budget needs it.",
        }

    def clean_model_name(self) -> str:
        """As the card says, whatever was sent."""
        return self.instance.model_name
