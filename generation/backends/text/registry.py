"""Find the protocols of text models, one per file of `adapters/`."""

from functools import lru_cache

from annotation.engine.modules import modules_of
from generation.backends.exceptions import RejectedError
from generation.backends.text.model import ModelSettings, TextModel

_ADAPTERS = "generation.backends.text.adapters"
# Models whose connections a process keeps open.
KEPT_MODELS = 64
# What every endpoint spoke before there was a choice.
DEFAULT_PROTOCOL = "openai"


def protocol_choices() -> list[tuple[str, str]]:
    """The protocols that there is an adapter for: the name of its file, and what pages call it."""
    return [(name, module.TITLE) for name, module in modules_of(_ADAPTERS).items()]


@lru_cache(KEPT_MODELS)
def text_model(protocol: str, settings: ModelSettings) -> TextModel:
    """The model behind an endpoint; the same settings give the same one and its connections.

    Raises RejectedError for a protocol that has no adapter (any more).
    """
    known = modules_of(_ADAPTERS)
    if protocol not in known:
        raise RejectedError(f"the protocol is {protocol!r}; expected one of {', '.join(known)}")
    model: TextModel = known[protocol].build(settings)
    return model
