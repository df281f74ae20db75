"""The visible part of a step's text.

Steps are written for readers: they say that something is an accident, what was intended instead,
and that somebody notices. None of that can be filmed, and a video model draws everything that it
reads, even the thing that was *not* taken (PIE-V, section D.5). Only clauses of visible action are
kept; parts that rules cannot make visible are named, for whoever edits the prompt.
"""

import re
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from generation.engine.english.forms import verb_base
from generation.engine.english.surface import BEFORE_WORD, lower_first, without_final_stop
from generation.engine.rewriting.lexicon.domains import Domain
from generation.engine.rewriting.undoing import undo_of
from generation.engine.word_lists import load_words

_MISTAKE = r"(?:(?:the|a|your|this)\s+)?(?:own\s+)?(?:mistake|error)"
_JOINER = r"(?:\s*[:;,.]\s*(?:and\s+|then\s+|so\s+)?|\s+and\s+(?:then\s+)?|\s+then\s+)"
_NOTICING = r"(?:reali[sz]e|notice|recogni[sz]e|see|remember)s?"
_STATEMENT = r"(?:you|is|are|was|were|did|has|have|had|never|not)"
# What a person says or thinks before acting; removed repeatedly from the start of the text.
_LEADS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?:oops|whoops|oh no|uh[- ]oh|hmm|wait)\b\s*[,.!…:;-]*\s*",
        rf"stop(?: and| to|,) (?:fix|correct) (?:it|this|that|{_MISTAKE}|the [^:;,]+?){_JOINER}",
        rf"(?:stop and )?{_NOTICING}\s+{_MISTAKE}{_JOINER}",
        rf"(?:stop and )?{_NOTICING}\s+[^:;,.]*[:;,.]\s+(?:(?:then|and|so)\s+)?",
        # Without a comma: "realize the chain is damaged and apply more lube".
        rf"(?:stop and )?{_NOTICING}\s+(?:that\s+)?(?>[^:;,.]*?\b{_STATEMENT}\b)[^:;,.]*?\s+and\s+",
        r"to (?:correct|fix|repair|make up for) (?:it|this|that|the (?:mistake|error)),\s*",
        r"start over(?:\s*[:,]\s*|\s+and\s+)",
        r"go back(?:,\s*(?:and\s+)?|\s+and\s+)",
        r"(?:then|and|so|now|next)\b,?\s+",
        r"(?:i|you) (?:forgot|forget|missed)\b[^:;,.]*[:;,.]\s+",
        r"perform the (?:missed|skipped|forgotten|extra) step(?: now)?:\s*",
        r"(?:i|you)\s+",
    )
)
_STOPPING = re.compile(
    r"(?:stop|pause)(?: for a moment)?(?:,\s*(?:and|then)?|\s+and|\s+then)\s+", re.I
)
_INTENTION = re.compile(
    rf"{BEFORE_WORD}(?:accidentally|mistakenly|inadvertently|unintentionally|erroneously"
    r"|by (?:accident|mistake)|in error)\b,?",
    re.IGNORECASE,
)
_PLACED = r"(?:from|into|onto|in|on|to|at|over|under|inside|with|against|across)"
# The intended part is removed with its own action or place ("instead of into the pan"); after a
# mere thing ("instead of the bowl from the shelf") the place belongs to the visible action.
_INSTEAD = re.compile(
    rf"{BEFORE_WORD}(?:instead of|rather than)\s+(?:(?:{_PLACED}|(?:\w+ly\s+)*\w+ing)\b[^,;.]*"
    rf"|(?:(?!\s{_PLACED}\b)[^,;.])*)|{BEFORE_WORD}instead\b(?=\s*(?:[,;.]|$))",
    re.IGNORECASE,
)
_PURPOSE = re.compile(
    rf"{BEFORE_WORD}so (?:that )?(?:the|you can)"
    r" (?:procedure|task|recipe|work|continue|go on)\b[^,;.]*",
    re.IGNORECASE,
)
# Comparison with an earlier attempt: "stir the tea, this time the right way".
_THIS_TIME = re.compile(r",\s*this time\b[^,;.]*", re.IGNORECASE)
_ADDRESSED = re.compile(r"\b(but|and|then|while)\s+you\s+", re.IGNORECASE)
_CLAUSE_ENDS = re.compile(
    r"(?:(?<!\s)\s+)?;\s*|(?<=[a-z0-9)])\.\s+|(?:,|(?<!\s))\s+(?:and\s+)?then\s+"
    r"|(?<!\s)\s+and\s+(?=start over:)",
    re.IGNORECASE,
)
_UNDOING = re.compile(
    r"undo (?:the|that|this) (?:extra|inserted|added|unnecessary)[\w ]*?(?:step|action)?"
    r"(?: of (?P<action>\w+ing\b.*))?$",
    re.IGNORECASE,
)
_VAGUE = re.compile(
    r"\b(?:not quite (?:correctly|right|properly)|incorrectly|wrongly|improperly|the wrong way"
    r"|the (?:intended|correct|right|missed) (?:action|step))\b",
    re.IGNORECASE,
)
# Fixing a tire to a wheel is visible, fixing "it" is not.
_FIXING = re.compile(rf"(?:fix|correct) (?:it|this|that|{_MISTAKE})\b", re.IGNORECASE)
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class _Unseen:
    """The words of `unseen.toml`."""

    unseen: frozenset[str]
    results: frozenset[str]
    verbs: frozenset[str]
    no_things: frozenset[str]


_WORDS = load_words(Path(__file__).with_name("unseen.toml"), _Unseen)


@dataclass(frozen=True, slots=True)
class VisibleAction:
    """Imperative clauses in order, what cannot be seen in them, and whether work stops first."""

    clauses: tuple[str, ...]
    problems: tuple[str, ...] = ()
    is_interrupted: bool = False


def visible_action(text: str) -> VisibleAction:
    """The visible actions of a step.

    >>> visible_action("Accidentally grab a colander instead of the bowl").clauses
    ('grab a colander',)
    >>> visible_action("Stop and fix it: pull the tube out, then untwist it.").clauses
    ('pull the tube out', 'untwist it')
    """
    bare, is_interrupted = _without_leads(without_final_stop(text))
    for pattern in (_INTENTION, _INSTEAD, _PURPOSE, _THIS_TIME):
        bare = pattern.sub("", bare)
    bare = _ADDRESSED.sub(r"\1 ", bare)
    bare = re.sub(r"\byour\b", "the", bare)
    clauses, problems = [], []
    for piece in _CLAUSE_ENDS.split(bare):
        # A later sentence may have leads, too: "Move the pasta. Oops, I knocked over the bowl".
        rest, _ = _without_leads(piece)
        clause = lower_first(_SPACES.sub(" ", rest).strip(" ,:;-"))
        undoing = _UNDOING.match(clause)
        if undoing is not None and undoing["action"]:
            # Undoing an extra step is visible as the opposite action.
            verb, space, rest = undoing["action"].partition(" ")
            clause = undo_of(verb_base(verb) + space + rest, Domain.GENERAL)
        if clause:
            clauses.append(clause)
    for clause in clauses:
        if verb_base(clause.partition(" ")[0].lower()) in _WORDS.unseen or _FIXING.match(clause):
            problems.append(f"nothing can be seen of “{clause}”; say what the hands do")
        if vague := _VAGUE.search(clause):
            problems.append(f"“{vague.group()}” does not say what is seen; say what happens")
    if not clauses:
        problems.append("nothing is left that could be seen")
    return VisibleAction(tuple(clauses), tuple(problems), is_interrupted)


def _without_leads(text: str) -> tuple[str, bool]:
    """The text from its first action on, and whether it says to stop working."""
    start, is_interrupted = 0, False
    while True:
        before = start
        for pattern in (*_LEADS, _STOPPING):
            if lead := pattern.match(text, start):
                is_interrupted |= lead.group().lower().startswith(("stop", "pause"))
                start = lead.end()
        if start == before:
            return text[start:], is_interrupted


def thing_alone(words: str) -> str:
    """The thing in some words, without other words that the analyser includes; empty if none.

    "Pat the skin dry", "check that the tube is not pinched", "wipe it clean": results, statements
    and pronouns are not things that can be in sight.

    >>> thing_alone("skin dry"), thing_alone("why test page is blank"), thing_alone("it clean")
    ('skin', 'test page', '')
    """
    kept = list(takewhile(lambda word: word.lower() not in _WORDS.verbs, words.split()))
    while kept and kept[0].lower() in _WORDS.no_things:
        kept.pop(0)
    while kept and kept[-1].lower() in _WORDS.results:
        kept.pop()
    return " ".join(kept)
