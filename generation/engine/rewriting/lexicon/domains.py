"""Which domain a procedure belongs to, by the words of its scenario and of its steps."""

import re
from collections.abc import Iterable
from enum import StrEnum


class Domain(StrEnum):
    """The broad kinds of activity that have word lists of their own."""

    KITCHEN = "kitchen"
    BICYCLE = "bicycle"
    LABORATORY = "laboratory"
    FIRST_AID = "first_aid"
    GENERAL = "general"


# Words that give a domain away; a word of the scenario counts for more than one of a step.
_TELLING_WORDS = {
    Domain.KITCHEN: (
        "cook cooking make making bake salad egg eggs omelet omelette noodles pasta tea coffee "
        "latte sushi sandwich rice soup sauce kitchen dish pizza pan skillet pot bowl knife salt "
        "sugar oil milk stove tomato tortilla quesadilla mug toast cheese flour butter pepper onion"
    ),
    Domain.BICYCLE: (
        "bike bicycle tire tyre chain wheel brake derailleur lubricate axle pedal wrench rim tube"
    ),
    Domain.LABORATORY: (
        "test antigen covid laboratory lab ph sample swab vial pipette beaker reagent solution "
        "experiment measure ionic reaction"
    ),
    Domain.GENERAL: (
        "plant houseplant repot soil root roots shoot cutting printer cartridge office toy "
        "assemble assembly furniture chassis cabin bumper turntable boom interior attach detach toy"
    ),
    Domain.FIRST_AID: (
        "aid cpr patient wound burn bandage plaster gauze chest compression bleeding injury dress"
    ),
}
_DOMAIN_BY_WORD = {
    word: domain for domain, words in _TELLING_WORDS.items() for word in words.split()
}
_WORD = re.compile(r"[a-z]+")
SCENARIO_WEIGHT = 5
# Words that tell only in a scenario: steps of any domain use them.
_SCENARIO_WORDS = frozenset({"test", "measure", "aid", "make", "making", "dress", "dish", "cut"})
# Below this share of steps with a telling word, the word lists of no domain fit.
MIN_SHARE = 0.2


def domain_of(scenario: str, texts: Iterable[str]) -> Domain:
    """Return the domain whose words the scenario and the steps use most.

    >>> domain_of("Clean and Lubricate the Chain", ["Get a cloth"])
    <Domain.BICYCLE: 'bicycle'>
    >>> domain_of("Change a printer cartridge", ["Open the front cover"])
    <Domain.GENERAL: 'general'>
    """
    votes = dict.fromkeys(_TELLING_WORDS, 0)
    count = 0
    for word in _WORD.findall(scenario.lower()):
        if word in _DOMAIN_BY_WORD:
            votes[_DOMAIN_BY_WORD[word]] += SCENARIO_WEIGHT
    for text in texts:
        count += 1
        for domain in {
            _DOMAIN_BY_WORD[word]
            for word in _WORD.findall(text.lower())
            if word in _DOMAIN_BY_WORD and word not in _SCENARIO_WORDS
        }:
            votes[domain] += 1
    best = max(votes, key=votes.__getitem__)
    return best if votes[best] > MIN_SHARE * count else Domain.GENERAL
