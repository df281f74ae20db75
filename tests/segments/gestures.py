"""The twin of the page's gestures: what a person does to segments, as pure functions.

A segmentation goes in and a gesture comes out, as in `static/segments/js/gestures.js`
and `snapping.js`; the site itself only applies the gestures that pages send. Nobody's work is
pushed away: an edge takes along the neighbour that touches it and stops where that one would
vanish. Moving many is a gesture of its own (`ripple`), whose name says how many. All functions
raise `GestureError` where there is nothing to do or no room.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from annotation.engine.videos.clock import TENTH_S, TIME_SLACK_S, rounded, shortest_s
from segments.engine.model import Change, Gesture, GestureError, Segment, Segmentation
from segments.engine.scheme import Geometry, Scheme
from segments.engine.starting_segments import TimedStep

NewKey = Callable[[], str]


class Edge(StrEnum):
    """Which edge of a segment."""

    START = "start"
    END = "end"


@dataclass(frozen=True, slots=True)
class Hands:
    """Whoever gestures: on which segmentation, after which scheme, with which settings.

    `new_key` gives the keys of new segments. `snaps` is off while a person holds Alt or has turned
    snapping off; off means off, so only rounding is left. `shares_edges`: a touching neighbour
    follows an edge; in a partition it always does.
    """

    state: Segmentation
    scheme: Scheme
    new_key: NewKey
    snaps: bool = True
    shares_edges: bool = True

    # Making

    def draw(self, track: str, start_s: float, end_s: float, **content: Any) -> Gesture:
        """A new segment where there is room: it ends where the next one begins.

        Only `free` tracks let segments overlap; on a track of points the start counts.
        """
        lane = self.scheme.track(track)
        start_s, end_s = self._time(start_s), self._time(end_s)
        if self.state.duration_s is not None:
            end_s = min(end_s, self.state.duration_s)
        if lane.is_points:
            end_s = start_s
        elif lane.geometry is not Geometry.FREE:
            for other in self.state.timed(track):
                other_start_s, other_end_s = other.span
                if other_start_s <= start_s < other_end_s:
                    raise GestureError(
                        f"{start_s} s lies in segment {other.key}; expected a place in a gap"
                    )
                if start_s < other_start_s < end_s:
                    end_s = other_start_s
        if not lane.is_points and end_s - start_s < self._shortest_s:
            raise GestureError(f"{start_s} to {end_s} s is too short; expected a frame at least")
        if content.get("parent_key"):
            self._there(content["parent_key"])
        made = Segment(self.new_key(), track, start_s, end_s, **content)
        return Gesture("draw", (Change(None, made),))

    def missing(self, track: str, step_id: str) -> Gesture:
        """Say that a step is not done."""
        if any(item.is_missing and item.step_id == step_id for item in self.state):
            raise GestureError(f"step {step_id} is said to be missing already")
        made = Segment(self.new_key(), track, None, None, step_id=step_id)
        return Gesture("missing", (Change(None, made),))

    def copy(self, track: str, steps: Iterable[TimedStep]) -> Gesture:
        """Proposals from a reference: nobody's work until somebody takes them over."""
        made = []
        for step in steps:
            start_s, end_s = self._time(step.start_s), self._time(step.end_s)
            place = Segment(self.new_key(), track, start_s, end_s, step.step_id, text=step.text)
            made.append(replace(place, is_proposal=True))
        count = f"{len(made)} steps" if len(made) != 1 else "1 step"
        return _gesture(f"copy {count} from the reference", [Change(None, item) for item in made])

    # Edges

    def move_edge(self, key: str, edge: Edge, time_s: float) -> Gesture:
        """Move one edge as far towards `time_s` as there is room, touching neighbours with it."""
        held = self._there(key)
        if held.start_s is None:
            raise GestureError(f"segment {key} has no times of its own")
        track = self.scheme.track(held.track)
        if track.is_points:
            return self._shifted("move", [held], self._time(time_s) - held.span[0])
        partners, low_s, high_s = self._room(held, edge)
        end_of_recording_s = self.state.duration_s
        if end_of_recording_s is not None and time_s > held.span[1]:
            # An edge that a file put beyond the end of the video stays; none is moved there.
            high_s = min(high_s, max(end_of_recording_s, held.span[1]))
        moved_s = min(max(self._time(time_s), low_s), high_s)
        changes = [_edge_moved(held, edge, moved_s)]
        opposite = Edge.END if edge is Edge.START else Edge.START
        changes += [_edge_moved(partner, opposite, moved_s) for partner in partners]
        return _gesture(f"move {edge}", changes)

    def _room(self, held: Segment, edge: Edge) -> tuple[list[Segment], float, float]:
        """Who follows an edge, and between which times it can go."""
        start_s, end_s = held.span
        geometry = self.scheme.track(held.track).geometry
        others = [item for item in self.state.timed(held.track) if item.key != held.key]
        here_s = start_s if edge is Edge.START else end_s
        partners = []
        if self.shares_edges or geometry is Geometry.PARTITION:
            partners = [
                item
                for item in others
                if item.span[1 if edge is Edge.START else 0] == here_s
                and item.span[0] < item.span[1]
            ]
        if edge is Edge.START:
            high_s = end_s - self._shortest_s
            low_s = max((item.span[0] + self._shortest_s for item in partners), default=0.0)
            if geometry is not Geometry.FREE and not partners:
                before = [item.span[1] for item in others if item.span[1] <= start_s]
                low_s = max([low_s, *before])
        else:
            low_s = start_s + self._shortest_s
            high_s = min(
                (item.span[1] - self._shortest_s for item in partners), default=float("inf")
            )
            if geometry is not Geometry.FREE and not partners:
                after = [item.span[0] for item in others if item.span[0] >= end_s]
                high_s = min([high_s, *after])
        # Where an imported segment is shorter than a frame its edge stays at least where it is.
        return partners, min(rounded(low_s), here_s), max(rounded(high_s), here_s)

    def nudge(self, key: str, by_s: float, edge: Edge | None = None) -> Gesture:
        """Move an edge, or a whole segment where none is held, by a little."""
        held = self._there(key)
        if held.start_s is None:
            raise GestureError(f"segment {key} has no times of its own")
        start_s, end_s = held.span
        if edge is not None:
            return self.move_edge(key, edge, (start_s if edge is Edge.START else end_s) + by_s)
        by_s = max(by_s, -start_s)
        if self.state.duration_s is not None and by_s > 0:
            by_s = max(0.0, min(by_s, self.state.duration_s - end_s))
        if self.scheme.track(held.track).geometry is not Geometry.FREE:
            others = [item.span for item in self.state.timed(held.track) if item.key != key]
            by_s = max([by_s, *(end - start_s for _, end in others if end <= start_s)])
            by_s = min([by_s, *(start - end_s for start, _ in others if start >= end_s)])
        return self._shifted("nudge", [held], by_s)

    def ripple(self, track: str, from_s: float, by_s: float) -> Gesture:
        """Move every segment that starts at `from_s` or later; the name says how many.

        Refused, not cut short, where that would make segments overlap or leave the recording.
        """
        by_s = rounded(by_s)
        there = self.state.timed(track)
        later = [item for item in there if item.span[0] >= from_s]
        if not later or not by_s:
            raise GestureError(f"nothing is moved by {by_s} s from {from_s} s on")
        first_s = later[0].span[0] + by_s
        last_s = max(item.span[1] for item in later) + by_s
        earlier = [item.span[1] for item in there if item.span[0] < from_s]
        is_free = self.scheme.track(track).geometry is Geometry.FREE
        floor_s = 0.0 if is_free else max(earlier, default=0.0)
        if by_s < 0 and first_s < floor_s:
            raise GestureError(
                f"the first would start at {first_s:g} s; expected {floor_s} or later"
            )
        if self.state.duration_s is not None and by_s > 0 and last_s > self.state.duration_s:
            raise GestureError(
                f"the last would end at {last_s:g} s; expected {self.state.duration_s} or earlier"
            )
        count = f"{len(later)} later segments" if len(later) != 1 else "1 later segment"
        return self._shifted(f"move {count} by {by_s:+g} s", later, by_s)

    def _shifted(self, name: str, moved: Sequence[Segment], by_s: float) -> Gesture:
        changes = []
        for segment in moved:
            start_s, end_s = (rounded(time_s + by_s) for time_s in segment.span)
            changes.append(changed(segment, start_s=start_s, end_s=end_s))
        return _gesture(name, changes)

    # Splitting and joining

    def split(self, key: str, at_s: float) -> Gesture:
        """Cut a segment in two; what belongs to it stays with the part in which it begins."""
        held = self._there(key)
        at_s = self._time(at_s)
        is_inside = held.start_s is not None and held.span[0] < at_s < held.span[1]
        if not is_inside:
            raise GestureError(f"{at_s} s is not inside segment {key}")
        right = replace(held, key=self.new_key(), start_s=at_s, revision=1)
        changes = [changed(held, end_s=at_s), Change(None, right)]
        for child in self._children(key):
            if child.start_s is not None and child.start_s >= at_s:
                changes.append(changed(child, parent_key=right.key))
        return _gesture("split", changes)

    def join(self, key: str, words_of: str | None = None) -> Gesture:
        """Make one of a segment and the next of its track; it keeps its key.

        `words_of` is the key of the one whose step, label and text stay; it has to be named where
        they differ.
        """
        held = self._there(key)
        timed = self.state.timed(held.track)
        if held not in timed or timed[-1] == held:
            raise GestureError(f"no segment follows {key}")
        following = timed[timed.index(held) + 1]
        words = {item.key: (item.step_id, item.label, item.text) for item in (held, following)}
        if words_of is None and len(set(words.values())) > 1:
            raise GestureError(f"{key} and {following.key} differ; expected whose words stay")
        if words_of not in (None, *words):
            raise GestureError(f"words of {words_of!r}; expected {key} or {following.key}")
        step_id, label, text = words[words_of or key]
        joined = changed(
            held,
            end_s=max(held.span[1], following.span[1]),
            step_id=step_id,
            label=label,
            text=text,
        )
        changes = [joined, changed(following, is_deleted=True)]
        changes += [changed(child, parent_key=key) for child in self._children(following.key)]
        return _gesture("join", changes)

    def delete(self, key: str) -> Gesture:
        """Delete a segment with what belongs to it; in a partition the one before takes the room.

        The first of a partition leaves its room to the one after it.
        """
        held = self._there(key)
        changes = [changed(item, is_deleted=True) for item in (held, *self._children(key))]
        is_partition = self.scheme.track(held.track).geometry is Geometry.PARTITION
        if is_partition and held.start_s is not None:
            start_s, end_s = held.span
            others = [item for item in self.state.timed(held.track) if item.key != key]
            before = [item for item in others if item.span[1] == start_s]
            after = [item for item in others if item.span[0] == end_s]
            if before:
                changes.append(changed(before[-1], end_s=end_s))
            elif after:
                changes.append(changed(after[0], start_s=start_s))
        return _gesture("delete", changes)

    # Words

    def label(self, key: str, **content: str) -> Gesture:
        """Give a segment another step (`step_id`), mistake (`label`) or both."""
        return self._words("label", key, content, ("step_id", "label"))

    def write(self, key: str, text: str) -> Gesture:
        """Give a segment another description."""
        return self._words("text", key, {"text": text}, ("text",))

    def flag(self, key: str, note: str, *, is_flagged: bool = True) -> Gesture:
        """Mark a segment for whoever comes next, with a note, or take the mark away."""
        held = self._there(key)
        name = "flag" if is_flagged else "unflag"
        return _gesture(name, [changed(held, is_flagged=is_flagged, note=note)])

    def _words(
        self, name: str, key: str, content: Mapping[str, str], known: tuple[str, ...]
    ) -> Gesture:
        for field_name in content:
            if field_name not in known:
                raise GestureError(f"{name} changes {field_name}; expected {' or '.join(known)}")
        # What a person names is that person's own.
        return _gesture(name, [changed(self._there(key), **content, is_proposal=False)])

    def accept(self, keys: Iterable[str]) -> Gesture:
        """Take proposals over as they are."""
        proposals = [self._there(key) for key in keys]
        for item in proposals:
            if not item.is_proposal:
                raise GestureError(f"segment {item.key} is no proposal")
        count = f"{len(proposals)} proposals" if len(proposals) != 1 else "a proposal"
        return _gesture(f"accept {count}", [changed(it, is_proposal=False) for it in proposals])

    # Earlier revisions

    def restore(self, past: Segmentation) -> Gesture:
        """Make everything as it was in an earlier revision of the same segmentation."""
        changes = []
        for key, now in self.state.segments.items():
            then = past.segments.get(key) or replace(now, is_deleted=True)
            restored = replace(then, revision=now.revision)
            # Of what is deleted now and was deleted then nothing is seen.
            if restored != now and not (restored.is_deleted and now.is_deleted):
                changes.append(Change(now, replace(restored, revision=now.revision + 1)))
        return _gesture(f"restore revision {past.head}", changes)

    def _there(self, key: str) -> Segment:
        """Raises `GestureError` where there is none, or it is deleted."""
        found = self.state.segments.get(key)
        if found is None or found.is_deleted:
            raise GestureError(f"segment {key!r} is not there")
        return found

    def _children(self, key: str) -> list[Segment]:
        return [item for item in self.state if item.parent_key == key]

    @property
    def _shortest_s(self) -> float:
        return shortest_s(resolution_s=self.scheme.resolution_s, rate=self.state.rate)

    def _time(self, time_s: float) -> float:
        if not self.snaps:
            return rounded(max(0.0, time_s))
        return snapped(
            time_s,
            resolution_s=self.scheme.resolution_s,
            rate=self.state.rate,
            duration_s=self.state.duration_s,
        )


def snapped(
    time_s: float,
    *,
    resolution_s: float | None,
    rate: float | None,
    duration_s: float | None = None,
) -> float:
    """The edge nearest to a moment that the scheme and the recording allow, not before 0.

    With a `resolution_s` of None edges lie on frames, or on tenths of a second where the rate is
    unknown. With another they lie on its multiples and then, where frames are known, on a frame.
    The end of the recording, where that is known, is an edge wherever it lies, of two that are
    equally near the one.
    """
    step_s = resolution_s if resolution_s or rate else TENTH_S
    edge_s = round(time_s / step_s) * step_s if step_s else time_s
    if rate:
        edge_s = round(edge_s * rate) / rate
    if duration_s is not None and abs(duration_s - time_s) <= abs(edge_s - time_s) + TIME_SLACK_S:
        edge_s = duration_s
    return rounded(max(0.0, edge_s))


def inverse(gesture: Gesture) -> Gesture:
    """The gesture that takes this one back; its own inverse does this one again.

    A segment that this one made is marked as deleted, for its key was given.
    """
    undone = []
    for change in gesture.changes:
        back = change.before or replace(change.after, is_deleted=True)
        undone.append(Change(change.after, replace(back, revision=change.after.revision + 1)))
    name = gesture.name.removeprefix("undo of ")
    name = name if name != gesture.name else f"undo of {gesture.name}"
    return Gesture(name, tuple(reversed(undone)))


def changed(segment: Segment, **content: Any) -> Change:
    """The change of a segment that gives it other content."""
    return Change(segment, replace(segment, **content, revision=segment.revision + 1))


def _edge_moved(segment: Segment, edge: Edge, time_s: float) -> Change:
    if edge is Edge.START:
        return changed(segment, start_s=time_s)
    return changed(segment, end_s=time_s)


def _gesture(name: str, changes: Sequence[Change]) -> Gesture:
    """The gesture, without changes that change nothing."""
    real = []
    for item in changes:
        before = item.before
        if before is None or replace(before, revision=item.after.revision) != item.after:
            real.append(item)
    if not real:
        raise GestureError(f"{name} changes nothing")
    return Gesture(name, tuple(real))
