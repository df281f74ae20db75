"""Things by name, without what the analyser takes along at their ends.

"Pat the skin dry", "check that the tube is not pinched", "wipe it clean": what is done about a
thing, said of it or meant by a pronoun is nothing that can be in sight.
"""

from itertools import takewhile

RESULTS = frozenset({
    "apart", "blank", "clean", "closed", "cold", "crisp", "dry", "empty", "even", "firm", "flat",
    "full", "hot", "level", "loose", "open", "shut", "smooth", "soft", "straight", "tight", "warm",
    "wet",
})  # fmt: skip
VERBS = frozenset({
    "are", "be", "come", "comes", "goes", "has", "have", "is", "stop", "stops", "swell", "was",
    "were",
})  # fmt: skip
NO_THINGS = frozenset({
    "a", "an", "but", "her", "him", "his", "how", "if", "it", "out", "that", "the", "their", "them",
    "they", "this", "those", "until", "wait", "whether", "which", "why",
})  # fmt: skip


def thing_alone(words: str) -> str:
    """The thing of some words; empty where nothing of them is one.

    >>> thing_alone("skin dry"), thing_alone("why test page is blank"), thing_alone("it clean")
    ('skin', 'test page', '')
    """
    kept = list(takewhile(lambda word: word.lower() not in VERBS, words.split()))
    while kept and kept[0].lower() in NO_THINGS:
        kept.pop(0)
    while kept and kept[-1].lower() in RESULTS:
        kept.pop()
    return " ".join(kept)
