"""Find providers by name, from their modules."""

from functools import cache

from annotation.engine.modules import offered
from generation.backends.video.providers.adapter import Adapter
from generation.backends.video.providers.exceptions import SettingsError

# Adapters that were removed: what to do about endpoints that still name them.
REMOVED = {
    "sora": (
        "Sora was shut down on 24 September 2026; use OpenRouter, or openai_videos for a"
        " server of your own"
    ),
    "veo": "Google no longer answers its requests; order Veo from OpenRouter (google/veo-3.1) or"
    " from Runway (veo3.1)",
}


@cache
def providers() -> dict[str, Adapter]:
    found = offered("generation.backends.video.providers.adapters", "PROVIDER")
    return {provider.name: provider for provider in found.values()}


def provider(name: str) -> Adapter:
    """The provider of that name; raises SettingsError if there is no adapter for it."""
    adapters = providers()
    if name in REMOVED:
        raise SettingsError(f"the provider {name} no longer exists: {REMOVED[name]}")
    if name not in adapters:
        choices = ", ".join(adapters)
        raise SettingsError(f"the video provider is {name!r}; expected one of {choices}")
    return adapters[name]
