"""Find text models by name, from their modules."""

from collections.abc import Callable
from functools import cache, lru_cache

from annotation.engine.modules import modules_of
from generation.backends.text import adapters
from generation.backends.text.model import ModelSettings, TextModel

# Models whose connections a process keeps open.
KEPT_MODELS = 64


@cache
def model_builders() -> dict[str, Callable[[ModelSettings], TextModel]]:
    """Return what builds each model, by the name of the model."""
    return {module.NAME: module.build for module in modules_of(adapters).values()}


@lru_cache(KEPT_MODELS)
def text_model(name: str, settings: ModelSettings) -> TextModel:
    """Return the model of that name; the same settings give the same model and its connections.

    Raises ValueError for a name that no adapter has.
    """
    builders = model_builders()
    if name not in builders:
        raise ValueError(f"text model is {name!r}; expected one of {', '.join(builders)}")
    return builders[name](settings)
