"""The changes from one segmentation to another that goes on from it: a join by key."""

from dataclasses import dataclass

from segments.engine.model import Segment, Segmentation


@dataclass(frozen=True, slots=True)
class Difference:
    """One segment before and after; one of them is None where it was inserted or deleted."""

    key: str
    before: Segment | None
    after: Segment | None

    @property
    def words(self) -> tuple[str, ...]:
        """What happened to it, in the words of the badges; empty where nothing changed."""
        if self.before is None:
            return ("inserted",)
        if self.after is None:
            return ("deleted",)
        old, new = self.before, self.after
        changes = {
            "bounds": (old.start_s, old.end_s) != (new.start_s, new.end_s),
            "step": old.step_id != new.step_id,
            "label": old.label != new.label,
            "text": old.text != new.text,
            "flag": (old.is_flagged, old.note) != (new.is_flagged, new.note),
        }
        return tuple(word for word, is_so in changes.items() if is_so)


def differences(before: Segmentation, after: Segmentation) -> tuple[Difference, ...]:
    """Every segment of either side, by time; deleted ones where they were."""
    old = {segment.key: segment for segment in before}
    new = {segment.key: segment for segment in after}
    merged = Segmentation({**old, **new})
    return tuple(Difference(item.key, old.get(item.key), new.get(item.key)) for item in merged)
