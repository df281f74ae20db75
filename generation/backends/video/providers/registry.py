"""Find providers by name, from their modules."""

from functools import cache

from annotation.engine.modules import offered
from generation.backends.video.providers.adapter import Adapter
from generation.backends.video.providers.exceptions import SettingsError

# Of adapters that are gone: what to do with endpoints that still name them.
GONE = {
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
    """The provider of that name; raises SettingsError for a name that no adapter has."""
    known = providers()
    if name in GONE:
        raise SettingsError(f"there is no provider {name} any more: {GONE[name]}")
    if name not in known:
        raise SettingsError(f"the video provider is {name!r}; expected one of {', '.join(known)}")
    return known[name]
