/** Marking while it plays: one key ends the open segment and begins the next.
 *
 * A person presses a little late. Each may have an own reaction time measured once, which is taken
 * off while it plays; the moment of the press itself goes into the log.
 */

import { recall, remember } from "../../annotation/js/tab_memory.js";

const KEY = "piev:reaction";
const FLASHES = 10;
const WAIT_MS = [900, 2600];
const TOO_LATE_MS = 1500;

export function reactionS() {
  try {
    return Math.max(0, Number(localStorage.getItem(KEY)) || 0);
  } catch {
    return 0; // Refused in some private windows.
  }
}

function keepReaction(seconds) {
  try {
    localStorage.setItem(KEY, String(seconds));
  } catch {
    // As above: it then lasts as long as the page.
  }
}

export class Marking extends EventTarget {
  /** Events: "change" when a segment is opened or closed. `id` names the segmentation. */
  constructor({ editor, playback, id }) {
    super();
    this.editor = editor;
    this.playback = playback;
    this.name = `piev:open:${id}`;
    // What was begun when the page was left.
    this.open = JSON.parse(recall(this.name));
  }

  set(open) {
    this.open = open;
    remember(this.name, open && JSON.stringify(open));
    this.dispatchEvent(new CustomEvent("change"));
  }

  /** The edge that a press means, and the moment of the press where those differ. */
  moment() {
    const { playback } = this;
    const late = playback.isPlaying ? reactionS() * playback.players.speed : 0;
    const atS = playback.frameStart(Math.max(0, playback.timeS - late));
    return { atS, rawTimeS: playback.isPlaying ? playback.timeS : null };
  }

  /** A segment begins here; an open one ends here first. */
  mark() {
    const { editor } = this;
    if (!editor.mayMove()) return;
    const moment = this.moment();
    if (editor.track.is_points) {
      editor.draw(moment.atS, moment.atS, { rawTimeS: moment.rawTimeS });
      return;
    }
    if (this.open && this.open.track !== editor.trackName) this.set(null);
    const ended = this.open && this.close(moment);
    if (this.open) return;
    // Digits name what has just ended while it has no label, else what begins.
    if (!ended || ended.step_id) editor.select(null);
    // What has just ended may have snapped to an edge behind the press: the next begins there.
    const startS = Math.max(moment.atS, ended?.end_s ?? 0);
    if (editor.track.geometry !== "free" && editor.under(startS)?.end_s > startS) {
      editor.say("A segment lies here already: split it with X, or move its edges.");
      return;
    }
    this.set({ track: editor.trackName, startS });
    editor.say("", "");
  }

  /** The open segment ends here, and none begins. */
  end() {
    if (!this.open) this.editor.say("No segment is open: press A where one begins.");
    else this.close(this.moment());
  }

  close({ atS, rawTimeS }) {
    const { startS } = this.open;
    if (atS <= startS) {
      this.editor.say("It would end before it begins. Press Esc to give up what you began.");
      return null;
    }
    const made = this.editor.draw(startS, atS, { rawTimeS, content: this.open.stepId ? { step_id: this.open.stepId } : {} });
    if (made) this.set(null);
    return made;
  }

  /** Give the open segment its step while it lasts. */
  label(stepId) {
    this.set({ ...this.open, stepId });
  }

  giveUp() {
    const isOpen = Boolean(this.open);
    if (isOpen) this.set(null);
    return isOpen;
  }
}

/** Ten flashes, one press each; the middle one of the times is the person's own. */
export class ReactionDialog {
  constructor(dialog) {
    this.dialog = dialog;
    this.light = dialog.querySelector("[data-light]");
    this.told = dialog.querySelector("[data-told]");
    this.field = dialog.querySelector("[name=reaction]");
    dialog.querySelector("[data-start]").addEventListener("click", () => this.start());
    this.light.addEventListener("pointerdown", () => this.press());
    dialog.addEventListener("keydown", (event) => {
      if (!this.isRunning || !["a", "A", " "].includes(event.key)) return;
      event.preventDefault();
      this.press();
    });
    dialog.addEventListener("close", () => this.stop());
    this.field.addEventListener("change", () => this.keep(Number(this.field.value) / 1000));
  }

  open() {
    this.field.value = String(Math.round(reactionS() * 1000));
    this.told.textContent = "";
    this.dialog.showModal();
  }

  keep(seconds) {
    const kept = Math.min(1, Math.max(0, Math.round(seconds * 1000) / 1000 || 0));
    keepReaction(kept);
    this.field.value = String(Math.round(kept * 1000));
  }

  start() {
    this.times = [];
    this.isRunning = true;
    this.light.focus();
    this.told.textContent = `Press A, or click, at each of ${FLASHES} flashes.`;
    this.wait();
  }

  stop() {
    this.isRunning = false;
    clearTimeout(this.timer);
    this.light.classList.remove("lit");
  }

  wait() {
    this.shownAt = null;
    this.light.classList.remove("lit");
    const [least, most] = WAIT_MS;
    this.timer = setTimeout(() => this.flash(), least + Math.random() * (most - least));
  }

  flash() {
    this.light.classList.add("lit");
    this.shownAt = performance.now();
    // A flash that somebody missed says nothing of how fast they are.
    this.timer = setTimeout(() => this.wait(), TOO_LATE_MS);
  }

  press() {
    if (!this.isRunning || this.shownAt === null) return;
    clearTimeout(this.timer);
    this.times.push((performance.now() - this.shownAt) / 1000);
    if (this.times.length < FLASHES) {
      this.told.textContent = `${FLASHES - this.times.length} more`;
      this.wait();
      return;
    }
    this.stop();
    const [low, high] = [...this.times].sort((a, b) => a - b).slice(FLASHES / 2 - 1, FLASHES / 2 + 1);
    this.keep((low + high) / 2);
    this.told.textContent = `You press ${this.field.value} ms late. That much is taken off while it plays.`;
  }
}
