"""Repairs that change the wording of a step: get or open a thing first, or use its new name."""

import re
from collections.abc import Callable
from dataclasses import replace

from annotation.engine.taxonomy import Mod
from generation.engine.english.forms import singular
from generation.engine.english.surface import as_words, definite, in_style_of, lower_first
from generation.engine.english.things import named_things
from generation.engine.english.words import mentions, spans_of, with_determiner
from generation.engine.judging.case import Case
from generation.engine.judging.findings import Finding
from generation.engine.judging.repair.repair import Repair, repair
from generation.engine.rewriting.cascades import apply_cascades, renamed
from generation.engine.rewriting.rewrite import Rewrite, RewriteRow

_MAKES_POSSIBLE = {"USE_WHILE_CLOSED": "Open", "HEAT_WHILE_OFF": "Turn on"}
Saying = Callable[[Case, Finding, str, str], str | None]


@repair("CASCADE_MISSING")
def carry_cascades(case: Case, finding: Finding) -> Rewrite | None:
    """Apply what a mistake replaced or moved to the later steps."""
    if finding.event_id is None or case.rows_with_valid_sources != case.rows:
        return None
    return apply_cascades(case.take.scene, case.rewrite, finding.event_id)


def _rewording(*codes: str) -> Callable[[Saying], Repair]:
    """Make a repair of a function that gives a row, for a thing and its text, another text."""

    def make_repair(say: Saying) -> Repair:
        def propose(case: Case, finding: Finding) -> Rewrite | None:
            position, row = case.row_of(finding)
            thing = finding.entity
            if row.text is None or thing is None:
                return None
            text = say(case, finding, thing, row.text)
            return None if text is None else _with_consequence(case, position, thing, text)

        return Repair(say.__name__, frozenset(codes), propose)

    return make_repair


@_rewording("PRODUCT_NOT_MADE")
def drop_preparation(case: Case, finding: Finding, prepared: str, text: str) -> str | None:
    """Do not call a thing cut, washed or otherwise prepared if nobody prepared it."""
    start = text.lower().find(prepared)
    _, _, thing = prepared.partition(" ")
    return None if start < 0 else text[:start] + thing + text[start + len(prepared) :]


@_rewording("USE_BEFORE_INTRO", "PORTABLE_NOT_HELD")
def get_before_use(case: Case, finding: Finding, thing: str, text: str) -> str:
    """Let the person get a thing in the step that needs it."""
    return _done_first("Get", thing, text)


@_rewording(*_MAKES_POSSIBLE)
def make_possible(case: Case, finding: Finding, thing: str, text: str) -> str:
    """Let the person open, or switch on, a thing in the step that needs it so."""
    return _done_first(_MAKES_POSSIBLE[finding.code], thing, text)


def _done_first(action: str, thing: str, text: str) -> str:
    """The step with another action on its thing first: "Get the jar and open it"."""
    return in_style_of(f"{action} {definite(as_words(thing))} and {lower_first(text)}", text)


@_rewording("LOCATION_MISMATCH", "LOCATION_MISMATCH_ON_GET")
def name_where_it_is(case: Case, finding: Finding, thing: str, text: str) -> str | None:
    """Name the place where a thing really is, instead of the one where it should be."""
    options = case.contradictions.get(finding.code, ())
    item = next((item for item in options if item.position == finding.position), None)
    if item is None or item.actual_place is None or item.stated_place is None:
        return None
    return renamed(text, item.stated_place, item.actual_place, case.take.scene.domain)


@_rewording("DUP_GET_NO_PUT", "USE_AFTER_DISPOSE")
def say_another(case: Case, finding: Finding, thing: str, text: str) -> str | None:
    """Say "another" if a second thing of the same name is got."""
    spans = spans_of(text, thing)
    if not spans:
        return None
    span = with_determiner(text, spans[0])
    return f"{text[: span.start]}another {singular(as_words(thing))}{text[span.end :]}"


@repair("PRONOUN_OF_NOTHING")
def name_what_is_meant(case: Case, finding: Finding) -> Rewrite | None:
    """Name the thing of the step, or what a bare measure of the procedure is a measure of."""
    position, row = case.row_of(finding)
    word, steps = finding.entity or "", (case.original_of(row) or "", *case.take.texts)
    things = [thing for step in steps for thing in named_things(step)]
    measured = (it.words for it in things if it.words.lower().startswith(f"{word} of "))
    name = next(measured, "")
    if word in {"it", "them"} and things and things[0].slot == "object":
        name = definite(things[0].words)
    if not name or row.text is None:
        return None
    text = re.sub(rf"\b{word}\b", name, row.text, count=1)
    return case.rewrite.with_row(position, replace(row, text=text))


def _with_consequence(case: Case, position: int, thing: str, text: str) -> Rewrite | None:
    """The rewrite with another text of a row; an unchanged row becomes the cascade of a mistake.

    That is the last mistake before it whose steps name the thing, else the last one before it. None
    if the row must not change, or if there is no mistake before it.
    """
    row = case.rows[position]
    if row.mod in {Mod.CASCADE, Mod.INSERTION, Mod.CORRECTION}:
        return case.rewrite.with_row(position, replace(row, text=text))
    mistaken = [
        earlier
        for earlier in reversed(case.rows[:position])
        if earlier.event_id in case.take.errors and earlier.mod not in {Mod.CASCADE, Mod.CORRECTION}
    ]
    if row.mod is not Mod.UNCHANGED or not mistaken:
        return None
    # For "chopped onion" the thing is the onion.
    thing = thing.partition(" ")[2] or thing
    naming = (
        earlier
        for earlier in mistaken
        if any(mentions(step or "", thing) for step in (case.original_of(earlier), earlier.text))
    )
    cause = next(naming, mistaken[0])
    follows = RewriteRow(Mod.CASCADE, text, row.old_index, event_id=cause.event_id)
    return case.rewrite.with_row(position, follows)
