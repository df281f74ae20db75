"""The domains of procedures: the contents of a file of `domains/`, and the domain of a procedure.

A thing is written `usual name = other name`; in parentheses it is recognised but never offered, and
`{}` stands for the right thing itself ("skin beside the {}"). Things of one kind are alternatives
to each other; other names of the same thing never are.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from generation.engine.word_lists import load_words


class Domain(StrEnum):
    """The broad kinds of activity with their own word lists."""

    KITCHEN = "kitchen"
    BICYCLE = "bicycle"
    LABORATORY = "laboratory"
    FIRST_AID = "first_aid"
    GENERAL = "general"


@dataclass(frozen=True, slots=True)
class DomainWords:
    """The words of a domain, as its file has them.

    `telling_words` identify the domain. `things` and `substances` (which are not counted) list
    things by kind.
    """

    telling_words: frozenset[str]
    things: dict[str, tuple[str, ...]]
    substances: dict[str, tuple[str, ...]]


@cache
def words_of_domain(domain: Domain) -> DomainWords:
    """Raises `WordListError` if the file of the domain is wrong."""
    return load_words(Path(__file__).parent / "domains" / f"{domain}.toml", DomainWords)


_WORD = re.compile(r"[a-z]+")
SCENARIO_WEIGHT = 5
# Words that identify a domain only in a scenario: steps of any domain use them.
_SCENARIO_WORDS = frozenset({"test", "measure", "aid", "make", "making", "dress", "dish", "cut"})
# Below this share of steps with a telling word, the word lists of no domain fit.
MIN_SHARE = 0.2


def domain_of(scenario: str, texts: Iterable[str]) -> Domain:
    """The domain whose words the scenario and the steps use most.

    >>> domain_of("Clean and Lubricate the Chain", ["Get a cloth"])
    <Domain.BICYCLE: 'bicycle'>
    >>> domain_of("Change a printer cartridge", ["Open the front cover"])
    <Domain.GENERAL: 'general'>
    """
    domains = {word: domain for domain in Domain for word in words_of_domain(domain).telling_words}
    words_of_steps = [set(_WORD.findall(text.lower())) - _SCENARIO_WORDS for text in texts]
    votes = Counter(
        domain
        for words in words_of_steps
        for domain in {domains[word] for word in words if word in domains}
    )
    for word in _WORD.findall(scenario.lower()):
        if word in domains:
            votes[domains[word]] += SCENARIO_WEIGHT
    best = max(Domain, key=votes.__getitem__)
    return best if votes[best] > MIN_SHARE * len(words_of_steps) else Domain.GENERAL
