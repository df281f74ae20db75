"""Names of campaigns that would tell raters where the traces come from.

Raters read the name in their queue and above every trace. They must not learn which data set,
model, provider or way of generating stands behind a trace.
"""

import re
from collections.abc import Iterable

# Models, their makers and providers, and what PIE-V calls its own ways of making traces.
# fmt: off
TELLING_WORDS = frozenset({
    "ai", "anthropic", "bridge", "chatgpt", "claude", "cogvideox", "deepseek", "freeform",
    "gemini", "gemma", "generated", "generator", "gpt", "grok", "hailuo", "hunyuan", "kling",
    "llama", "llm", "ltx", "luma", "minimax", "mistral", "openai", "openrouter", "phi", "piev",
    "pika", "qwen", "runway", "seedance", "sora", "synthetic", "veo", "vllm", "wan",
})
PUBLISHED_DATASETS = (
    "Assembly101", "CaptainCook4D", "Ego-Exo4D", "EgoOops", "EgoPER", "EPIC-Kitchens",
    "HoloAssist", "PIE-V",
)
# fmt: on
# Shorter names of data sets are found as words of their own only.
LEAST_PLAIN_CHARACTERS = 4
_WORD = re.compile(r"[a-z]+")


def telling_words(name: str, dataset_names: Iterable[str]) -> tuple[str, ...]:
    """What in a campaign's name tells where traces come from, in the order of the alphabet.

    `dataset_names` are the names that the researcher knows data sets by.
    """
    words = set(_WORD.findall(name.lower()))
    plain = _plain(name)
    found = {word for word in TELLING_WORDS if word in words}
    for dataset in (*PUBLISHED_DATASETS, *dataset_names):
        sought = _plain(dataset)
        is_long = len(sought) >= LEAST_PLAIN_CHARACTERS
        if sought and (sought in plain if is_long else sought in words):
            found.add(dataset)
    return tuple(sorted(found, key=str.lower))


def warning_of(words: Iterable[str]) -> str:
    """What a researcher is told of the telling words of a name."""
    named = ", ".join(words)
    return (
        f"Raters see this name, and it hints at where traces come from ({named}). "
        "To keep their answers unbiased, leave out data sets, models and generators."
    )


def _plain(name: str) -> str:
    """Letters and digits only, so that Ego-Exo4D and ego exo 4d are one."""
    return re.sub(r"[^a-z0-9]", "", name.lower())
