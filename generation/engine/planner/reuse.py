"""Whether what a step handles is used again later (not in the paper)."""

from collections.abc import Container, Sequence

from generation.engine.planner.meaning import Meaning


def next_use(
    meanings: Sequence[Meaning], index: int, window: int, *, after: int | None = None
) -> int | None:
    """The first step within `window` steps that uses the object of step `index`, or None.

    A step uses it when its own object is the same, or when it names the object's head as Object,
    Instrument, Destination, Origin or Coobject. The search starts behind step `after`, by default
    behind `index`.
    """
    meaning = meanings[index]
    heads, value = meaning.head_entities, meaning.object_value
    if not heads and not value:
        return None
    start = index if after is None else after
    for later in range(start + 1, min(len(meanings), index + window + 1)):
        other = meanings[later]
        if (value and other.object_value == value) or not heads.isdisjoint(other.reuse_entities):
            return later
    return None


def is_needed_later(meanings: Sequence[Meaning], index: int, references: int) -> bool:
    """Whether later steps refer to a thing of step `index` at least `references` times."""
    for entity in meanings[index].target_entities:
        count = 0
        for other in meanings[index + 1 :]:
            count += sum(entity in mentioned for mentioned in other.mentions)
            if count >= references:
                return True
    return False


def longest_run(indices: Container[int], around: int) -> int:
    """The length of the run of consecutive members of `indices` that `around` would join."""
    first = last = around
    while first - 1 in indices:
        first -= 1
    while last + 1 in indices:
        last += 1
    return last - first + 1
