"""What the words that participants read of a recording tell without a picture.

`done` are the steps as they are listed, in order, and `procedure` the written ones. Two rules: the
words are not literally a written step, so they describe what went wrong; and the step is out of the
procedure's order, which anybody may conclude.
"""

from collections.abc import Sequence
from functools import lru_cache

BY_WORDS = "Words differ from every written step"
BY_ORDER = "A step before it is not done yet, or one after it is"


def are_unwritten(done: Sequence[str], procedure: Sequence[str]) -> list[bool]:
    """Whether the words of each step are not those of a written one, whatever their case."""
    written = _places(tuple(procedure))
    return [step.casefold() not in written for step in done]


def are_out_of_order(done: Sequence[str], procedure: Sequence[str]) -> list[bool]:
    """Whether an earlier step is not done before each one, or a later one is.

    Words that are of no written step are never out of order.
    """
    places = _places(tuple(procedure))
    is_done = [False] * (len(procedure) + 1)
    first_open, latest = 0, -1
    marks = []
    for step in done:
        options = places.get(step) or places.get(step.casefold())
        if options is None:
            marks.append(False)
            continue
        # Of a step that the procedure has several times, the first that is not done yet.
        place = options[-1]
        if len(options) > 1:
            place = next((option for option in options if not is_done[option]), place)
        marks.append(first_open < place or place < latest)
        is_done[place] = True
        if place > latest:
            latest = place
        while is_done[first_open]:
            first_open += 1
    return marks


# Items come in the order of their hashes: one procedure after another, of hundreds.
@lru_cache(maxsize=512)
def _places(procedure: tuple[str, ...]) -> dict[str, list[int]]:
    """Where each written step stands, by its words and by them in small letters."""
    places: dict[str, list[int]] = {}
    for place, step in enumerate(procedure):
        places.setdefault(step.casefold(), []).append(place)
    return {**{step: places[step.casefold()] for step in procedure}, **places}
