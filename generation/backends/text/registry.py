"""Find text models by name, from their modules."""

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache, lru_cache

from generation.backends.text import adapters
from generation.backends.text.model import ModelSettings, TextModel

# Models whose connections a process keeps open.
KEPT_MODELS = 64


@cache
def model_builders() -> dict[str, Callable[[ModelSettings], TextModel]]:
    """Return what builds each model, by the name of the model."""
    names = sorted(info.name for info in pkgutil.iter_modules(adapters.__path__))
    modules = [importlib.import_module(f"{adapters.__name__}.{name}") for name in names]
    return {module.NAME: module.build for module in modules}


@lru_cache(KEPT_MODELS)
def text_model(name: str, settings: ModelSettings) -> TextModel:
    """Return the model of that name; the same settings give the same model and its connections.

    Raises ValueError for a name that no adapter has.
    """
    builders = model_builders()
    if name not in builders:
        raise ValueError(f"text model is {name!r}; expected one of {', '.join(builders)}")
    return builders[name](settings)
