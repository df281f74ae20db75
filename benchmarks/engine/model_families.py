"""Which models are of one family: a judge may favour what its own family writes."""

import re


def family_of(model: str) -> str:
    """The letters at the beginning of a model's name, which models of one maker share.

    >>> family_of("openai/gpt-5.2-mini"), family_of("Qwen3-VL-235B")
    ('gpt', 'qwen')
    """
    match = re.match(r"[a-z]+", model.rpartition("/")[2].casefold())
    return match.group() if match else ""
