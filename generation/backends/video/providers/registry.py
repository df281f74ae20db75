"""Find providers by name, from their modules."""

import importlib
import pkgutil
from functools import cache

from generation.backends.video.providers import adapters
from generation.backends.video.providers.exceptions import SettingsError
from generation.backends.video.providers.provider import Provider


@cache
def providers() -> dict[str, Provider]:
    """Return every provider that there is an adapter for, by name."""
    names = sorted(info.name for info in pkgutil.iter_modules(adapters.__path__))
    modules = [importlib.import_module(f"{adapters.__name__}.{name}") for name in names]
    return {module.PROVIDER.name: module.PROVIDER for module in modules}


def provider(name: str) -> Provider:
    """Return the provider of that name; raise SettingsError for a name that no adapter has."""
    known = providers()
    if name not in known:
        raise SettingsError(f"the video provider is {name!r}; expected one of {', '.join(known)}")
    return known[name]
