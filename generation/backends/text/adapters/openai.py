"""Any OpenAI-compatible endpoint; `openai_model.py` is loaded when one is first used."""

from generation.backends.text.model import ModelSettings, TextModel

TITLE = "OpenAI-compatible"


def build(settings: ModelSettings) -> TextModel:
    """One model of one endpoint."""
    # Importing the client takes a quarter of a process's start, and most processes never need it.
    from generation.backends.text.openai_model import OpenAiModel  # noqa: PLC0415

    return OpenAiModel(settings)
