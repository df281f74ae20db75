/** What is selected and held, and what a person does with it: every command of keys and buttons.
 *
 * A command makes a gesture with `hands` and does it in the book. What is dragged or nudged is only
 * shown until the hand lets go (edge_hand.js).
 */

import { EdgeHand, owned } from "./edge_hand.js";
import { hands } from "./gestures.js";
import { GestureError, changed, isMissing, segment } from "./model.js";
import { Several } from "./several.js";
import { takeTimes } from "./taking.js";

const EDGES = Object.freeze(["start", "end"]);
const HOLDS = Object.freeze([null, ...EDGES]);

export class Editor extends EventTarget {
  /** Events: "change" when the segments, or what is shown of them, differ; "select"; "held" when the
   * keyboard holds another edge; "words" {text, kind}.
   *
   * `options`: {canEdit, hasLockedEdges, sources: {reference, onsets}}.
   */
  constructor({ book, undoing, playback, scale, options }) {
    super();
    Object.assign(this, { book, undoing, playback, scale, options });
    this.settings = { snaps: true, tracks: true, sound: true, sharesEdges: true };
    this.hands = hands(book, { snaps: false, sharesEdges: true });
    this.freeHands = hands(book, { snaps: "frames", sharesEdges: true });
    this.snappingHands = hands(book, { snaps: true, sharesEdges: true });
    this.trackName = book.scheme.tracks[0].name;
    this.selectedKey = null;
    this.held = null;
    this.several = new Several(this);
    // Which segments the list has, and `selectNext` goes to.
    this.passes = () => true;
    this.hand = new EdgeHand(this);
    this.shownState = null;
    book.on("change", () => this.onBook());
    window.addEventListener("pagehide", () => this.settle());
  }

  /** The state that is shown: an earlier revision while somebody looks at one. */
  get state() {
    return this.shownState ?? this.book.state;
  }

  get track() {
    return this.book.scheme.tracks.find(({ name }) => name === this.trackName);
  }

  get selected() {
    const found = this.selectedKey && this.state.segments.get(this.selectedKey);
    return found && !found.is_deleted ? found : null;
  }

  get canEdit() {
    return this.options.canEdit && !this.shownState;
  }

  get canMoveEdges() {
    return this.canEdit && !this.options.hasLockedEdges;
  }

  /** Its own times, or those of the segment to which it belongs. */
  timesOf(item) {
    if (item.start_s !== null || !item.parent_key) return item;
    const parent = this.state.segments.get(item.parent_key);
    return parent && !parent.is_deleted ? { ...item, start_s: parent.start_s, end_s: parent.end_s } : item;
  }

  /** What is there of a track, by time, each with the times at which it is drawn. */
  segmentsOf(trackName) {
    if (this.orderedOf !== this.state) [this.orderedOf, this.ordered] = [this.state, new Map()];
    if (!this.ordered.has(trackName)) this.ordered.set(trackName, this.order(trackName));
    return this.ordered.get(trackName);
  }

  order(trackName) {
    const items = this.state.there.filter((item) => item.track === trackName).map((item) => this.timesOf(item));
    // Steps that are left out have no time to be in order by: they follow the procedure.
    const placeOf = ({ step_id: stepId }) => this.options.stepIds?.indexOf(stepId) ?? 0;
    const untimed = items.filter(({ start_s: startS }) => startS === null).sort((a, b) => placeOf(a) - placeOf(b));
    return [...items.filter(({ start_s: startS }) => startS !== null), ...untimed];
  }

  /** What the list has of the current track. */
  get listed() {
    return this.segmentsOf(this.trackName).filter((item) => this.passes(item));
  }

  onBook() {
    if (this.selectedKey && !this.selected) this.selectedKey = null;
    if (!this.selectedKey) this.held = null;
    this.changed();
  }

  changed() {
    this.dispatchEvent(new CustomEvent("change"));
  }

  say(text, kind = "warning") {
    this.dispatchEvent(new CustomEvent("words", { detail: { text, kind } }));
  }

  /** Do what `make` gestures; says why where it cannot be. Returns the gesture or null. */
  perform(make, { rawTimeS = null, isFree = false, isExact = false } = {}) {
    if (!this.canEdit) {
      this.say(this.shownState ? "You look at an earlier revision: go back to now to change something." : "This cannot be changed.");
      return null;
    }
    this.settle();
    try {
      const gesture = make(isExact ? this.hands : isFree || !this.settings.snaps ? this.freeHands : this.snappingHands);
      this.book.do(rawTimeS === null ? gesture : { ...gesture, raw_time_s: rawTimeS });
      this.say("", "");
      return gesture;
    } catch (error) {
      if (!(error instanceof GestureError)) throw error;
      this.say(error.words);
      return error;
    }
  }

  // Choosing

  select(key, { isGoing = true } = {}) {
    this.settle();
    const item = key ? this.state.segments.get(key) : null;
    if (item && item.track !== this.trackName) this.trackName = item.track;
    if (key !== this.selectedKey) this.held = null;
    this.several.clear();
    this.selectedKey = item ? key : null;
    const timed = item && this.timesOf(item);
    if (timed && timed.start_s !== null && isGoing) {
      this.scale.reveal(timed.start_s, timed.end_s);
      this.playback.endLoop();
      this.playback.go(timed.start_s);
    }
    this.dispatchEvent(new CustomEvent("select"));
    this.changed();
  }

  /** The next or earlier segment of the track; from the playhead where none is selected. */
  selectNext(step) {
    const items = this.listed;
    const at = items.findIndex(({ key }) => key === this.selectedKey);
    const hereS = this.playback.edgeS;
    let next = items[at + step];
    if (at < 0) next = step > 0 ? items.find((item) => item.start_s > hereS) ?? items.at(-1) : items.findLast((item) => item.start_s !== null && item.start_s < hereS) ?? items[0];
    if (next) this.select(next.key);
    else this.say(items.length ? (step > 0 ? "This is the last one." : "This is the first one.") : "There is no segment on this track yet.", "");
  }

  setTrack(name) {
    if (name === this.trackName) return;
    this.settle();
    this.trackName = name;
    this.select(this.under(this.playback.edgeS)?.key ?? null, { isGoing: false });
  }

  moveTrack(step) {
    const names = this.book.scheme.tracks.map(({ name }) => name);
    const next = names[names.indexOf(this.trackName) + step];
    if (next) this.setTrack(next);
  }

  /** What lies at a moment on the current track. */
  under(timeS) {
    return this.segmentsOf(this.trackName).find((item) => item.start_s !== null && item.start_s <= timeS && (timeS < item.end_s || item.start_s === item.end_s)) ?? null;
  }

  /** The selected segment, or what lies under the playhead, which is then selected. */
  atHand() {
    const found = this.selected ?? this.under(this.playback.edgeS);
    if (!found) this.say("No segment is selected, and none is under the playhead.");
    else if (found.key !== this.selectedKey) this.select(found.key, { isGoing: false });
    return found;
  }

  // Edges

  hold(edge) {
    this.settle();
    if (edge && (!this.selected || this.selected.start_s === null || !this.canMoveEdges)) return;
    this.held = edge;
    if (edge) {
      const timeS = this.selected[`${edge}_s`];
      this.scale.reveal(timeS);
      this.playback.go(timeS);
    }
    this.changed();
  }

  holdNext() {
    if (!this.atHand()) return;
    const holds = this.track.is_points ? [null, "start"] : HOLDS;
    this.hold(holds[(holds.indexOf(this.held) + 1) % holds.length]);
    this.dispatchEvent(new CustomEvent("held"));
  }

  /** Let an edge go that is held by the keyboard; tells whether there was one. */
  letGo() {
    if (!this.held) return false;
    this.hold(null);
    this.dispatchEvent(new CustomEvent("held"));
    return true;
  }

  /** What is dragged or nudged: {gesture, changed, key, edge, timeS, byS, kind, followers}, or null. */
  get preview() {
    return this.hand.preview;
  }

  /** Do what was only shown until now. */
  settle() {
    this.hand.settle();
  }

  /** Put the start or the end of the segment at hand where the playhead is. */
  setEdge(edge) {
    const item = this.atHand();
    if (!item || !this.mayMove()) return;
    this.perform((how) => owned(how.moveEdge(item.key, edge, this.playback.edgeS), item.key));
  }

  mayMove() {
    if (this.canMoveEdges) return true;
    this.say(this.options.hasLockedEdges ? "The edges are given: only labels and words can be changed." : "This cannot be changed.");
    return false;
  }

  // Making and ending

  draw(startS, endS, { content = {}, ...how } = {}) {
    if (!this.mayMove()) return null;
    const parent = this.track.belongs_to ? this.parentAt(startS) : "";
    if (parent === null) return null;
    const gesture = this.perform((hand) => hand.draw(this.trackName, startS, endS, { ...content, ...(parent ? { parent_key: parent } : {}) }), how);
    const made = gesture?.changes?.[0].after;
    if (made) this.select(made.key, { isGoing: false });
    return made ?? null;
  }

  /** The segment to which something new belongs; null, with words, where there is none. */
  parentAt(timeS) {
    const found = this.segmentsOf(this.track.belongs_to).find((item) => item.start_s !== null && item.start_s <= timeS && timeS < item.end_s);
    if (found) return found.key;
    this.say("No step is here to which this could belong.");
    return null;
  }

  split() {
    const item = this.under(this.playback.edgeS) ?? this.atHand();
    if (!item || !this.mayMove()) return;
    const gesture = this.perform((how) => how.split(item.key, this.playback.edgeS));
    const right = gesture?.changes?.find(({ before }) => before === null)?.after;
    if (right) this.select(right.key, { isGoing: false });
  }

  /** Join with the next; `askWords(two)` is asked where the two differ. */
  async join(askWords) {
    const item = this.atHand();
    if (!item || !this.mayMove()) return;
    const result = this.perform((how) => how.join(item.key));
    if (!result?.asked) return;
    this.say("", "");
    const words = await askWords(result.asked);
    if (words) this.perform((how) => how.join(item.key, words));
  }

  remove() {
    if (this.several.isOn) {
      this.several.remove();
      return;
    }
    const item = this.selected;
    if (!item) {
      this.say("No segment is selected.");
      return;
    }
    if (item.start_s !== null && !this.mayMove()) return;
    const items = this.segmentsOf(this.trackName);
    const at = items.findIndex(({ key }) => key === item.key);
    const next = items[at + 1] ?? items[at - 1];
    this.perform((how) => how.delete(item.key));
    if (next) this.select(next.key, { isGoing: false });
  }

  // Words

  label(content) {
    const item = this.selected;
    if (!item) return null;
    if (this.several.isOn) return this.several.label(content);
    return this.perform((how) => how.label(item.key, content));
  }

  write(text) {
    this.endTyping();
    const item = this.selected;
    if (item && item.text !== text) this.perform((how) => how.write(item.key, text));
  }

  /** A text or a note letter by letter: shown and kept at once, a gesture when the typing rests. */
  type(kind, value) {
    const item = this.selected;
    if (!item || !this.canEdit || item[kind] === value) return;
    if (this.typedFrom?.key !== item.key) this.typedFrom = item;
    if (this.book.typing && value === this.typedFrom[kind]) this.book.untype();
    else this.book.type(kind === "note" ? this.hands.flag(item.key, value) : this.hands.write(item.key, value));
  }

  /** The field is left; what was typed is given up where `isKept` is false. */
  endTyping({ isKept = true } = {}) {
    const { typedFrom } = this;
    this.typedFrom = null;
    if (isKept) this.book.settle();
    else this.book.untype();
    const now = typedFrom && this.book.get(typedFrom.key);
    if (isKept || !now || now.is_deleted || (now.text === typedFrom.text && now.note === typedFrom.note)) return;
    // A pause had made it a gesture already.
    const { text, note, is_flagged, is_proposal } = typedFrom;
    const name = now.text === text ? "flag" : "text";
    this.perform(() => ({ name, raw_time_s: null, changes: [changed(now, { text, note, is_flagged, is_proposal })] }));
  }

  flag(note, isFlagged) {
    this.endTyping();
    const item = this.selected;
    if (item && (item.note !== note || item.is_flagged !== isFlagged)) this.perform((how) => how.flag(item.key, note, isFlagged));
  }

  /** Something that belongs to the selected segment and lasts as long as it does. */
  addChild(trackName, content) {
    const { selected } = this;
    return this.perform(() => ({
      name: "add", raw_time_s: null,
      changes: [{ before: null, after: segment(this.book.newKey(), { track: trackName, parent_key: selected.key, ...content }) }],
    }));
  }

  missing(stepId) {
    const done = this.segmentsOf(this.trackName).find((item) => item.step_id === stepId && !isMissing(item));
    if (done) {
      this.say("This step is in the list: delete it first, or give it another label.");
      return;
    }
    const gesture = this.perform((how) => how.missing(this.trackName, stepId));
    const made = gesture?.changes?.[0].after;
    if (made) this.select(made.key, { isGoing: false });
  }

  // From elsewhere

  accept(keys) {
    if (keys.length) return this.perform((how) => how.accept(keys));
    this.say("There is no proposal here.");
    return null;
  }

  take(item, source, name) {
    return takeTimes(this, item, source, name);
  }

  copy(steps) {
    if (this.mayMove()) this.perform((how) => how.copy(this.trackName, steps));
  }

  ripple(fromS, byS) {
    const { rate } = this.book.state;
    // By whole frames, so that what lies on them stays on them.
    const movedS = rate ? Math.round(byS * rate) / rate : byS;
    if (this.mayMove()) this.perform(() => this.hands.ripple(this.trackName, fromS, movedS));
  }

  // Earlier revisions

  look(state) {
    this.settle();
    this.shownState = state;
    this.held = null;
    this.onBook();
    this.dispatchEvent(new CustomEvent("select"));
  }

  undo() {
    this.settle();
    if (this.canEdit) this.follow(this.undoing.undo());
  }

  redo() {
    this.settle();
    if (this.canEdit) this.follow(this.undoing.redo());
  }

  /** Go to what was changed, and say what it was; who is at one of several stays there. */
  follow({ words, keys, isDone }) {
    const ordered = keys.includes(this.selectedKey) ? [this.selectedKey, ...keys] : keys;
    const item = ordered.map((key) => this.state.segments.get(key)).find((found) => found && !found.is_deleted);
    if (item) this.select(item.key);
    this.say(words, isDone ? "" : "warning");
  }
}
