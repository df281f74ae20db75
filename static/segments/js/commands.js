/** What buttons and keys do, by name, where it takes more than the editor: boxes, dialogs, zooms. */

import { UNDEFINED_STEP } from "./label_choices.js";
import { isMissing } from "./model.js";
import { setSnapping } from "./toolbar.js";
import { clockText } from "./time_scale.js";

const AROUND_EDGE_S = 1;
const AT_EDGE_S = 0.001;
// Looks at what is played are some milliseconds apart.
const WATCHED_SHARE = 0.9;

export function commandsOf({ editor, playback, scale, marking, offers, words, dialogs, history, reference, describing, watched, filter, edgeFields, submit }) {
  const find = (selector) => document.querySelector(selector);

  /** Play what `span` gives again and again, or stop doing so. */
  function toggleLoop(kind, span) {
    const isOn = playback.isLooping && playback.loops === kind;
    playback.endLoop();
    if (isOn || !span) return;
    playback.loops = kind;
    playback.loop(...span);
  }

  function loopSpan() {
    const item = editor.atHand();
    const timed = item && editor.timesOf(item);
    return timed && timed.start_s !== null ? [timed.start_s, timed.end_s] : null;
  }

  /** The held edge, else the edge of the selected segment that is nearest to the playhead. */
  function edgeSpan() {
    const item = editor.atHand();
    if (!item || item.start_s === null) return null;
    const { timeS } = playback;
    const nearer = Math.abs(item.start_s - timeS) <= Math.abs(item.end_s - timeS) ? item.start_s : item.end_s;
    const atS = editor.held ? item[`${editor.held}_s`] : nearer;
    return [Math.max(0, atS - AROUND_EDGE_S), atS + AROUND_EDGE_S];
  }

  /** Playing keeps to the selected segment, or no longer. */
  function stayInside() {
    const isOn = !playback.spanToStayIn;
    playback.spanToStayIn = isOn ? () => {
      const timed = editor.selected && editor.timesOf(editor.selected);
      return timed && timed.start_s !== null && timed.start_s < timed.end_s ? [timed.start_s, timed.end_s] : null;
    } : null;
    playback.dispatchEvent(new CustomEvent("change"));
    editor.say(isOn ? "Playing stays in the segment" : "Playing goes on behind the segment", "");
  }

  function zoomSegment() {
    const item = editor.atHand();
    const timed = item && editor.timesOf(item);
    if (timed && timed.start_s !== null) scale.showSpan(timed.start_s, timed.end_s);
  }

  /** To the next edge of any track, or to the next moment at which something is heard. */
  function toEdge(step) {
    const times = editor.state.there.flatMap(({ start_s: startS, end_s: endS }) => (startS === null ? [] : [startS, endS]));
    const all = [...times, ...(editor.options.sources.onsets ?? [])].sort((a, b) => a - b);
    const hereS = playback.edgeS;
    // One inside a frame is shown by that frame: who stands there has come to it.
    const next = step > 0 ? all.find((timeS) => playback.frameStart(timeS) > hereS + AT_EDGE_S)
      : all.findLast((timeS) => playback.frameStart(timeS) < hereS - AT_EDGE_S);
    if (next !== undefined) goTo(next);
  }

  function goTo(timeS) {
    playback.go(timeS);
    scale.reveal(playback.timeS);
  }

  /** The segment of the reference, or of a lane beside, that belongs to the one at hand. */
  function matching(item) {
    const sources = reference();
    const overlap = (source) => Math.min(source.end_s, item.end_s) - Math.max(source.start_s, item.start_s);
    const same = sources.filter(({ step_id: stepId }) => stepId === item.step_id);
    const own = sources.find(({ key }) => key === item.key);
    if (own) return own;
    const near = item.start_s === null || item.step_id ? same : sources;
    return [...near].sort((a, b) => overlap(b) - overlap(a))[0] ?? null;
  }

  function bring() {
    const { selected } = editor;
    if (selected) {
      const source = matching(selected);
      if (source) editor.take(selected, source, "take the times of the reference");
      else editor.say("The reference has no step like this one.");
      return;
    }
    const { timeS } = playback;
    const here = reference().find((step) => step.start_s <= timeS && timeS < step.end_s);
    if (here) editor.copy([here]);
    else editor.say("The reference has no step at the playhead.");
  }

  async function join() {
    await editor.join(([first, second]) => dialogs.join(describing.aloud(first), describing.aloud(second), [first.key, second.key]));
  }

  async function ripple() {
    if (editor.several.isOn) {
      const moveS = await dialogs.move(editor.several.items.length);
      if (moveS) editor.several.move(moveS);
      return;
    }
    const fromS = editor.selected?.start_s ?? playback.edgeS;
    const later = editor.state.timed(editor.trackName).filter(({ start_s: startS }) => startS >= fromS);
    if (!later.length) {
      editor.say("No segment begins here or later.");
      return;
    }
    const byS = await dialogs.ripple(later.length, clockText(fromS));
    if (byS) editor.ripple(fromS, byS);
  }

  function text() {
    const item = editor.atHand();
    if (!item || !editor.canEdit) return;
    const label = editor.track.labels.find(({ name }) => name === item.label);
    words.openText(item, label);
  }

  function flag() {
    const item = editor.atHand();
    if (item && editor.canEdit) words.openNote(item);
  }

  function isWatched({ start_s: startS, end_s: endS }) {
    if (startS === null) return true;
    const parts = watched().map(([from, to]) => Math.max(0, Math.min(to, endS) - Math.max(from, startS)));
    return parts.reduce((sum, part) => sum + part, 0) >= WATCHED_SHARE * (endS - startS);
  }

  /** Proposals as they were proposed, once their recording has been played through. */
  function acceptAll() {
    const isUntouched = ({ key, revision }) => revision === 1 || !describing.edits.get(key)?.words.length;
    const proposals = editor.state.there.filter((item) => item.is_proposal && isUntouched(item));
    if (!proposals.length) {
      editor.say("There is no unchanged proposal.");
      return;
    }
    const unseen = playback.players ? proposals.filter((item) => !isWatched(item)) : [];
    if (unseen.length) {
      editor.say(`${unseen.length === 1 ? "1 proposal has" : `${unseen.length} proposals have`} not been played through yet: here is the first.`);
      editor.select(unseen[0].key);
      return;
    }
    editor.accept(proposals.map(({ key }) => key));
  }

  function accept() {
    if (editor.several.isOn) {
      editor.several.accept();
      return;
    }
    const item = editor.atHand();
    if (!item) return;
    if (editor.accept([item.key])?.changes) editor.selectNext(1);
  }

  function missing() {
    const track = editor.track.source === "steps" ? editor.track : null;
    if (!track || !editor.canEdit) editor.say("Steps cannot be said to be missing here.");
    else offers.missing();
  }

  function remove() {
    const item = editor.selected;
    if (item && isMissing(item) && !editor.several.isOn) editor.perform((how) => how.delete(item.key));
    else editor.remove();
  }

  return {
    mark: () => marking.mark(),
    end: () => marking.end(),
    start: () => editor.setEdge("start"),
    stop: () => editor.setEdge("end"),
    hold: () => editor.holdNext(),
    split: () => editor.split(),
    join, ripple, text, flag, accept, acceptAll, bring, missing, remove, toEdge,
    label: () => offers.label(),
    likeliest: () => offers.press("w"),
    mistake: () => offers.mistake(),
    next: () => editor.selectNext(1),
    previous: () => editor.selectNext(-1),
    extend: (step) => editor.several.extend(step),
    chooseAll: () => editor.several.all(),
    filter: () => filter.toggle(editor.selected),
    typeEdge: () => edgeFields.focus(),
    back: () => playback.skip(-playback.skipS),
    forth: () => playback.skip(playback.skipS),
    stayInside,
    copyAll: () => editor.copy(reference().filter(({ step_id: stepId }) => stepId !== UNDEFINED_STEP)),
    loop: () => toggleLoop("segment", loopSpan()),
    edgeLoop: () => toggleLoop("edge", edgeSpan()),
    snapping: () => setSnapping(editor, "snaps", !editor.settings.snaps),
    zoomIn: () => scale.zoomIn(playback.timeS),
    zoomOut: () => scale.zoomOut(playback.timeS),
    zoomSegment,
    zoomAll: () => scale.showAll(),
    toEnd: (step) => goTo(step < 0 ? 0 : Math.max(0, scale.durationS - playback.stepS)),
    history: () => history.toggle(),
    reaction: () => dialogs.reaction(),
    guideline: () => find("#guideline-dialog").showModal(),
    submit,
    escape: () => editor.letGo() || (editor.several.isOn ? editor.select(editor.selectedKey, { isGoing: false }) ?? true : marking.giveUp()),
  };
}
