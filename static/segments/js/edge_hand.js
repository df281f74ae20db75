/** A hand on an edge: it is dragged or nudged, shown where it comes to lie, and done when it is let go. */

import { GestureError } from "./model.js";
import { TIME_SLACK_S, rounded, snap, snapped } from "./snapping.js";

const NUDGE_REST_MS = 500;
const KINDS = Object.freeze({ playhead: "the playhead", own: "an edge", reference: "the reference", onset: "a sound" });

export class EdgeHand {
  constructor(editor) {
    this.editor = editor;
    this.preview = null;
    this.dragged = null;
    this.nudgedS = null;
  }

  /** Every time to which an edge may snap, in rising order; its own place is none. */
  targets(key, edge, headS) {
    const held = this.editor.book.state.segments.get(key);
    const ownS = held[`${edge}_s`];
    const own = [];
    for (const item of this.editor.book.state.there) {
      if (item.start_s === null || item.key === key) continue;
      own.push(item.start_s, item.end_s);
    }
    const { reference = [], onsets = [] } = this.editor.options.sources;
    return {
      playhead: headS === null ? [] : [headS],
      own: own.filter((timeS) => timeS !== ownS).sort((a, b) => a - b),
      reference: this.editor.settings.tracks ? reference : [],
      onset: this.editor.settings.sound ? onsets : [],
    };
  }

  /** Show where an edge goes while it is dragged: {phase: move, end, cancel}. */
  drag({ key, edge, timeS, pressedS, phase, isFree, isExact }) {
    if (!this.editor.canMoveEdges) return;
    if (phase === "cancel") {
      this.cancelPreview(pressedS);
      return;
    }
    if (this.dragged?.key !== key || this.dragged.edge !== edge) {
      this.settle();
      if (this.editor.selectedKey !== key) this.editor.select(key, { isGoing: false });
      this.editor.held = edge;
      this.dragged = { key, edge, targets: this.targets(key, edge, this.editor.playback.edgeS === pressedS ? null : this.editor.playback.edgeS) };
    }
    const isOff = isFree || !this.editor.settings.snaps;
    const found = isExact ? { timeS: rounded(Math.max(0, timeS)), kind: null } : snap(timeS, {
      pxPerS: this.editor.scale.pixelsPerS, targets: this.dragged.targets, isOff, ...this.editor.hands.grid,
    });
    this.showMove({ key, edge, timeS: found.timeS, pressedS, kind: found.kind });
    if (phase === "end") this.settle();
  }

  /** Show a moved edge, the video at its frame, and say where it is. */
  showMove({ key, edge, timeS, pressedS, kind = null }) {
    try {
      const gesture = this.editor.hands.moveEdge(key, edge, timeS);
      const shown = new Map(gesture.changes.map(({ after }) => [after.key, after]));
      const atS = shown.get(key)?.[`${edge}_s`] ?? timeS;
      this.preview = { gesture, changed: shown, key, edge, timeS: atS, byS: atS - pressedS, kind: kind && atS === timeS ? KINDS[kind] : null, followers: shown.size - 1 };
    } catch (error) {
      if (!(error instanceof GestureError)) throw error;
      // Back at its place, or no room: there is nothing to do yet.
      this.preview = { gesture: null, changed: new Map(), key, edge, timeS: pressedS, byS: 0, kind: null, followers: 0 };
    }
    this.editor.playback.go(this.preview.timeS, { isScrubbing: true });
    this.editor.changed();
  }

  cancelPreview(timeS) {
    this.preview = null;
    this.dragged = null;
    clearTimeout(this.restTimer);
    this.editor.playback.go(timeS);
    this.editor.changed();
  }

  /** Do what was only shown until now. */
  settle() {
    clearTimeout(this.restTimer);
    this.nudgedS = null;
    const { preview } = this;
    this.preview = null;
    this.dragged = null;
    if (preview?.gesture) {
      this.editor.perform(() => owned(preview.gesture, preview.key));
    } else if (preview) {
      this.editor.changed();
    }
  }

  /** A frame on or back; where frames do not all show a picture of their own, a picture on or back. */
  frameBeside(beforeS, byS) {
    const { rate, startsS } = this.editor.hands.grid;
    if (!startsS) return rounded(Math.round(this.nudgedS * rate) / rate);
    const hereS = this.preview?.gesture ? this.preview.timeS : beforeS;
    return byS < 0
      ? startsS.findLast((startS) => startS < hereS - TIME_SLACK_S) ?? 0
      : startsS.find((startS) => startS > hereS + TIME_SLACK_S) ?? hereS;
  }

  /** Move the held edge by a little; presses in a row are one gesture. */
  nudge(byS) {
    const item = this.editor.selected;
    if (!item || !this.editor.held) return;
    const before = item[`${this.editor.held}_s`];
    const isGoingOn = this.preview?.edge === this.editor.held && this.preview.key === item.key && this.nudgedS !== null;
    // Tenths are counted on from where they lead, not from the frame on which they come to lie.
    this.nudgedS = (isGoingOn ? this.nudgedS : before) + byS;
    const { rate } = this.editor.book.state;
    const isFrame = rate && Math.abs(byS) < 1.5 / rate;
    const toS = isFrame ? this.frameBeside(before, byS) : snapped(this.nudgedS, this.editor.hands.grid);
    this.showMove({ key: item.key, edge: this.editor.held, timeS: Math.max(0, toS), pressedS: before });
    // At a neighbour or an end it goes no farther, and comes back from there.
    if (Math.abs(this.preview.timeS - toS) > 1e-6) this.nudgedS = this.preview.timeS;
    clearTimeout(this.restTimer);
    this.restTimer = setTimeout(() => this.settle(), NUDGE_REST_MS);
  }
}

/** Moving an edge of a proposal accepts it; neighbours that follow the edge stay proposals. */
export function owned(gesture, key) {
  const changes = gesture.changes.map(({ before, after }) => (
    after.key === key && after.is_proposal ? { before, after: Object.freeze({ ...after, is_proposal: false }) } : { before, after }
  ));
  return { ...gesture, changes };
}
