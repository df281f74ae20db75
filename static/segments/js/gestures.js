/** What a person does to segments: the state in, a gesture out, for `book.do(gesture)`.
 *
 * The twin of tests/segments/gestures.py. Nobody's work is pushed away: an edge takes
 * along the neighbour that touches it and stops where that one would vanish. Moving many is a gesture
 * of its own (`ripple`), whose name says how many. All methods throw `GestureError` (`words` are for
 * people) where there is nothing to do or no room.
 *
 *   hands(book, { snaps, sharesEdges })
 *     draw(track, startS, endS, content)   missing(track, stepId)      copy(track, steps)
 *     moveEdge(key, edge, timeS)           nudge(key, byS, edge)       ripple(track, fromS, byS)
 *     split(key, atS)                      join(key, wordsOf)          delete(key)
 *     label(key, {step_id, label})         write(key, text)            flag(key, note, isFlagged)
 *     accept(keys)                         restore(past)
 *
 * Edges are "start" and "end"; seconds count from the first frame. `snaps` rounds times to the step of
 * the scheme and to frames; "frames", while Alt is held, to frames alone. Turn it off for times that
 * `snap` has found.
 */

import { GestureError, changed, isMissing, isSame, segment, shown } from "./model.js";
import { rounded, shortestS, snapped, unattracted } from "./snapping.js";

/** `book`: {state, scheme, newKey}; the settings may be changed while it is held. */
export function hands(book, settings = {}) {
  return new Hands(book, settings);
}

class Hands {
  constructor(book, settings) {
    this.book = book;
    this.settings = settings;
  }

  get state() {
    return this.book.state;
  }

  /** A new segment where there is room: it ends where the next one begins.
   *
   * Only `free` tracks let segments overlap; on a track of points the start counts.
   */
  draw(track, startS, endS, content = {}) {
    const lane = this.track(track);
    const fromS = this.time(startS);
    let toS = Math.min(this.time(endS), this.state.durationS ?? Infinity);
    if (lane.is_points) {
      toS = fromS;
    } else if (lane.geometry !== "free") {
      for (const other of this.state.timed(track)) {
        if (other.start_s <= fromS && fromS < other.end_s) {
          throw new GestureError(`${shown(fromS)} s lies in segment ${other.key}; expected a place in a gap`,
            "There is a segment here already: begin in a gap.");
        }
        if (fromS < other.start_s && other.start_s < toS) toS = other.start_s;
      }
    }
    if (!lane.is_points && toS - fromS < this.shortestS) {
      throw new GestureError(`${shown(fromS)} to ${shown(toS)} s is too short; expected a frame at least`,
        "Too short: a segment lasts a frame at least.");
    }
    if (content.parent_key) this.state.segment(content.parent_key);
    return made("draw", [segment(this.book.newKey(), { track, start_s: fromS, end_s: toS, ...content })]);
  }

  /** Say that a step is not done. */
  missing(track, stepId) {
    if (this.state.there.some((item) => isMissing(item) && item.step_id === stepId)) {
      throw new GestureError(`step ${stepId} is said to be missing already`, "This step is marked as missing already.");
    }
    return made("missing", [segment(this.book.newKey(), { track, step_id: stepId })]);
  }

  /** Proposals from a reference: nobody's work until somebody takes them over. */
  copy(track, steps) {
    const copies = steps.map((step) => segment(this.book.newKey(), {
      track, start_s: this.time(step.start_s), end_s: this.time(step.end_s), step_id: step.step_id, text: step.text, is_proposal: true,
    }));
    return gesture(`copy ${counted(copies, "step")} from the reference`, copies.map((after) => ({ before: null, after })));
  }

  /** Move one edge as far towards a time as there is room, touching neighbours with it. */
  moveEdge(key, edge, timeS) {
    const held = this.timedSegment(key);
    if (this.track(held.track).is_points) return shifted("move", [held], this.time(timeS) - held.start_s);
    const room = this.room(held, edge);
    let { highS } = room;
    if (this.state.durationS !== null && timeS > held.end_s) {
      // An edge that a file put beyond the end of the video stays; none is moved there.
      highS = Math.min(highS, Math.max(this.state.durationS, held.end_s));
    }
    const movedS = Math.min(Math.max(this.time(timeS), room.lowS), highS);
    const opposite = edge === "start" ? "end_s" : "start_s";
    return gesture(`move ${edge}`, [
      changed(held, { [`${edge}_s`]: movedS }),
      ...room.partners.map((partner) => changed(partner, { [opposite]: movedS })),
    ]);
  }

  /** The segments that follow an edge, and the times between which it can move. */
  room(held, edge) {
    const { geometry } = this.track(held.track);
    const isStart = edge === "start";
    const others = this.state.timed(held.track).filter((item) => item.key !== held.key);
    const hereS = isStart ? held.start_s : held.end_s;
    const isShared = (this.settings.sharesEdges ?? true) || geometry === "partition";
    const partners = !isShared ? [] : others.filter((item) => (
      (isStart ? item.end_s : item.start_s) === hereS && item.start_s < item.end_s
    ));
    const isBounded = geometry !== "free" && !partners.length;
    let lowS = held.start_s + this.shortestS;
    let highS = held.end_s - this.shortestS;
    if (isStart) {
      lowS = Math.max(0, ...partners.map((item) => item.start_s + this.shortestS));
      if (isBounded) lowS = Math.max(lowS, ...others.map((item) => item.end_s).filter((endS) => endS <= held.start_s));
    } else {
      highS = Math.min(...partners.map((item) => item.end_s - this.shortestS));
      if (isBounded) highS = Math.min(highS, ...others.map((item) => item.start_s).filter((startS) => startS >= held.end_s));
    }
    // Where an imported segment is shorter than a frame its edge stays at least where it is.
    return { partners, lowS: Math.min(rounded(lowS), hereS), highS: Math.max(rounded(highS), hereS) };
  }

  /** Move an edge, or a whole segment where none is held, by a little. */
  nudge(key, byS, edge = null) {
    const held = this.timedSegment(key);
    if (edge) return this.moveEdge(key, edge, held[`${edge}_s`] + byS);
    let moveS = Math.max(byS, -held.start_s);
    if (this.state.durationS !== null && moveS > 0) moveS = Math.max(0, Math.min(moveS, this.state.durationS - held.end_s));
    if (this.track(held.track).geometry !== "free") {
      const others = this.state.timed(held.track).filter((item) => item.key !== key);
      moveS = Math.max(moveS, ...others.filter((item) => item.end_s <= held.start_s).map((item) => item.end_s - held.start_s));
      moveS = Math.min(moveS, ...others.filter((item) => item.start_s >= held.end_s).map((item) => item.start_s - held.end_s));
    }
    return shifted("nudge", [held], moveS);
  }

  /** Move every segment that starts at `fromS` or later; the name says how many.
   *
   * Refused, not cut short, where that would make segments overlap or leave the recording.
   */
  ripple(track, fromS, byS) {
    const moveS = rounded(byS);
    const timed = this.state.timed(track);
    const later = timed.filter((item) => item.start_s >= fromS);
    if (!later.length || !moveS) {
      throw new GestureError(`nothing is moved by ${shown(moveS)} s from ${shown(fromS)} s on`, "There is nothing to move here.");
    }
    const firstS = later[0].start_s + moveS;
    const lastS = Math.max(...later.map((item) => item.end_s)) + moveS;
    const earlier = timed.filter((item) => item.start_s < fromS).map((item) => item.end_s);
    const floorS = this.track(track).geometry === "free" ? 0 : Math.max(0, ...earlier);
    if (moveS < 0 && firstS < floorS) {
      throw new GestureError(`the first would start at ${general(firstS)} s; expected ${shown(floorS)} or later`,
        `No room: the first would start at ${general(firstS)} s, and can at ${general(floorS)} s.`);
    }
    const { durationS } = this.state;
    if (durationS !== null && moveS > 0 && lastS > durationS) {
      throw new GestureError(`the last would end at ${general(lastS)} s; expected ${shown(durationS)} or earlier`,
        `No room: the last would end at ${general(lastS)} s, and the recording ends at ${general(durationS)} s.`);
    }
    const sign = moveS > 0 ? "+" : "";
    return shifted(`move ${counted(later, "later segment")} by ${sign}${general(moveS)} s`, later, moveS);
  }

  /** Cut a segment in two; what belongs to it stays with the part in which it begins. */
  split(key, atS) {
    const held = this.state.segment(key);
    const timeS = this.time(atS);
    if (held.start_s === null || timeS <= held.start_s || timeS >= held.end_s) {
      throw new GestureError(`${shown(timeS)} s is not inside segment ${key}`, "Move the playhead into the segment to split it.");
    }
    const right = segment(null, { ...held, key: this.book.newKey(), start_s: timeS, revision: 1 });
    const moved = this.state.children(key).filter((child) => child.start_s !== null && child.start_s >= timeS);
    return gesture("split", [
      changed(held, { end_s: timeS }),
      { before: null, after: right },
      ...moved.map((child) => changed(child, { parent_key: right.key })),
    ]);
  }

  /** Make one of a segment and the next of its track; it keeps its key.
   *
   * `wordsOf` is the key of the one whose step, label and text stay. Where they differ and none is
   * named the error has them as `asked`.
   */
  join(key, wordsOf = null) {
    const held = this.state.segment(key);
    const timed = this.state.timed(held.track);
    const following = timed[timed.indexOf(held) + 1];
    if (!timed.includes(held) || !following) throw new GestureError(`no segment follows ${key}`, "No segment follows this one.");
    const isLike = ["step_id", "label", "text"].every((name) => held[name] === following[name]);
    if (wordsOf === null && !isLike) {
      const error = new GestureError(`${key} and ${following.key} differ; expected whose words stay`, "The two differ: choose whose words stay.");
      throw Object.assign(error, { asked: [held, following] });
    }
    const kept = wordsOf === null ? held : [held, following].find((item) => item.key === wordsOf);
    if (!kept) throw new GestureError(`words of '${wordsOf}'; expected ${key} or ${following.key}`);
    const { step_id, label, text } = kept;
    return gesture("join", [
      changed(held, { end_s: Math.max(held.end_s, following.end_s), step_id, label, text }),
      changed(following, { is_deleted: true }),
      ...this.state.children(following.key).map((child) => changed(child, { parent_key: key })),
    ]);
  }

  /** Delete a segment with what belongs to it; in a partition the one before takes the room.
   *
   * The first of a partition leaves its room to the one after it.
   */
  delete(key) {
    const held = this.state.segment(key);
    const changes = [held, ...this.state.children(key)].map((item) => changed(item, { is_deleted: true }));
    if (this.track(held.track).geometry === "partition" && held.start_s !== null) {
      const others = this.state.timed(held.track).filter((item) => item.key !== key);
      const before = others.findLast((item) => item.end_s === held.start_s);
      const after = others.find((item) => item.start_s === held.end_s);
      if (before) changes.push(changed(before, { end_s: held.end_s }));
      else if (after) changes.push(changed(after, { start_s: held.start_s }));
    }
    return gesture("delete", changes);
  }

  /** Give a segment another step (`step_id`), mistake (`label`) or both; it is the person's own then. */
  label(key, content) {
    const unknown = Object.keys(content).find((name) => !["step_id", "label"].includes(name));
    if (unknown) throw new GestureError(`label changes ${unknown}; expected step_id or label`);
    return gesture("label", [changed(this.state.segment(key), { ...content, is_proposal: false })]);
  }

  /** Give a segment another description; it is the person's own then. */
  write(key, text) {
    return gesture("text", [changed(this.state.segment(key), { text, is_proposal: false })]);
  }

  /** Flag a segment for the next person, with a note, or remove the flag. */
  flag(key, note, isFlagged = true) {
    return gesture(isFlagged ? "flag" : "unflag", [changed(this.state.segment(key), { is_flagged: isFlagged, note })]);
  }

  /** Take proposals over as they are. */
  accept(keys) {
    const proposals = keys.map((key) => this.state.segment(key));
    const own = proposals.find((item) => !item.is_proposal);
    if (own) throw new GestureError(`segment ${own.key} is no proposal`, "This segment is your own already.");
    const name = proposals.length === 1 ? "accept a proposal" : `accept ${proposals.length} proposals`;
    return gesture(name, proposals.map((item) => changed(item, { is_proposal: false })));
  }

  /** Make everything as it was in an earlier revision (a `Segmentation`) of the same segmentation. */
  restore(past) {
    const changes = [...this.state.segments.values()].map((now) => {
      const then = past.segments.get(now.key) ?? { ...now, is_deleted: true };
      // Of what is deleted now and was deleted then nothing is seen.
      return then.is_deleted && now.is_deleted ? changed(now, {}) : changed(now, { ...then });
    });
    return gesture(`restore revision ${past.head}`, changes);
  }

  track(name) {
    const { tracks } = this.book.scheme;
    const found = tracks.find((track) => track.name === name);
    if (found) return found;
    throw new GestureError(`track is '${name}'; expected one of ${tracks.map((track) => track.name).join(", ")}`);
  }

  timedSegment(key) {
    const held = this.state.segment(key);
    if (held.start_s !== null) return held;
    throw new GestureError(`segment ${key} has no times of its own`, "This segment has no times of its own.");
  }

  get grid() {
    return { resolutionS: this.book.scheme.resolution_s, rate: this.state.rate, durationS: this.state.durationS, startsS: this.book.startsS ?? null };
  }

  get shortestS() {
    return shortestS(this.grid);
  }

  time(timeS) {
    const snaps = this.settings.snaps ?? true;
    if (snaps === "frames") return unattracted(timeS, this.grid);
    return snaps ? snapped(timeS, this.grid) : rounded(Math.max(0, timeS));
  }
}

function made(name, segments) {
  return { name, changes: segments.map((after) => ({ before: null, after })), raw_time_s: null };
}

/** The gesture, without changes that change nothing. */
function gesture(name, changes) {
  const real = changes.filter(({ before, after }) => !isSame(before, after));
  if (real.length) return { name, changes: real, raw_time_s: null };
  throw new GestureError(`${name} changes nothing`, "Nothing changes: there is no room, or it is so already.");
}

function shifted(name, moved, byS) {
  return gesture(name, moved.map((item) => changed(item, { start_s: rounded(item.start_s + byS), end_s: rounded(item.end_s + byS) })));
}

function counted(items, noun) {
  return items.length === 1 ? `1 ${noun}` : `${items.length} ${noun}s`;
}

/** A number with six digits at most, as the engine writes it in names. */
function general(value) {
  return String(Number(value.toPrecision(6)));
}
