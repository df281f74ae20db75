"""Find the protocols of text models, one per file of `adapters/`."""

from functools import lru_cache

from annotation.engine.modules import modules_of
from generation.backends.exceptions import RejectedError
from generation.backends.text.model import ModelSettings, TextModel

_ADAPTERS = "generation.backends.text.adapters"
# How many models a process keeps with their connections.
KEPT_MODELS = 64
# The protocol of every endpoint from before there was a choice.
DEFAULT_PROTOCOL = "openai"


def protocol_choices() -> list[tuple[str, str]]:
    """The protocols with an adapter: the name of its file, and its title for pages."""
    return [(name, module.TITLE) for name, module in modules_of(_ADAPTERS).items()]


@lru_cache(KEPT_MODELS)
def text_model(protocol: str, settings: ModelSettings) -> TextModel:
    """The model of an endpoint; the same settings give the same object with its connections.

    Raises RejectedError for a protocol without an adapter.
    """
    adapters = modules_of(_ADAPTERS)
    if protocol not in adapters:
        raise RejectedError(f"the protocol is {protocol!r}; expected one of {', '.join(adapters)}")
    model: TextModel = adapters[protocol].build(settings)
    return model
