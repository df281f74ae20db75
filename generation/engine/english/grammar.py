"""English words by class, from `grammar.toml`, which explains them."""

from dataclasses import dataclass
from pathlib import Path

from generation.engine.semrep.roles import Role
from generation.engine.word_lists import load_words

_Words = frozenset[str]


@dataclass(frozen=True, slots=True)
class Grammar:
    """The words of `grammar.toml`; predicates are in lower case with their particle: `put_back`."""

    determiners: _Words
    possessive_pronouns: _Words
    loose_quantities: _Words
    quantifiers: _Words
    predeterminers: _Words
    subjects: _Words
    units_of_measure: _Words
    times_of_day: _Words
    units_of_time: _Words
    units_of_length: _Words
    number_words: _Words
    preposition_phrases: tuple[str, ...]
    simple_prepositions: _Words
    place_prepositions: _Words
    ambiguous_particles: _Words
    particles: _Words
    direction_words: _Words
    degree_words: _Words
    manner_words: _Words
    temporal_words: _Words
    placing_verbs: _Words
    holding_verbs: _Words
    joining_verbs: _Words
    causative_verbs: _Words
    mixing_verbs: _Words
    dividing_verbs: _Words
    checking_verbs: _Words
    contact_verbs: _Words
    unchanging_verbs: _Words
    common_actions: _Words
    tools: _Words
    containers: _Words
    copulas: _Words
    negations: _Words
    connectives: _Words
    composites: _Words
    fillers: _Words
    plural_only: _Words
    pairs: _Words
    preposition_spelling: dict[str, str]
    compound_verbs: dict[str, _Words]
    phrasal_verbs: dict[str, _Words]
    predicate_synonyms: dict[str, str]
    roles_of_prepositions: dict[str, Role]
    roles_of_subordinators: dict[str, Role]
    subordinating_phrases: dict[str, str]
    predicates_of_subordinators: dict[str, str]
    contractions: dict[str, str]
    singulars: dict[str, str]
    plurals: dict[str, str]


GRAMMAR = load_words(Path(__file__).with_name("grammar.toml"), Grammar)
