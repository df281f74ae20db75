"""Any OpenAI-compatible endpoint, by `openai_model.py`, which is loaded when one is first asked."""

from generation.backends.text.model import ModelSettings, TextModel

TITLE = "OpenAI-compatible"


def build(settings: ModelSettings) -> TextModel:
    """One model of one endpoint."""
    # The client takes a quarter of the time that a process needs to start, and most never ask.
    from generation.backends.text.openai_model import OpenAiModel  # noqa: PLC0415

    return OpenAiModel(settings)
