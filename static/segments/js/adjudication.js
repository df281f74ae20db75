/** Deciding between versions: the queue of differences, and what becomes of each.
 *
 * A case is one segment as one or both versions have it. What is decided has the key of the case, so
 * that it can be joined with either version; what is not to be is stored as deleted.
 */

import { changed, segment } from "./model.js";
import { rounded } from "./snapping.js";
import { differenceText } from "./time_scale.js";

// As the desk has them.
export const CAUSES = Object.freeze({
  guideline_gap: "Guideline gap", ambiguous_event: "Ambiguous event", slip: "Slip", defect: "Video or text defect", legitimate: "Legitimate difference of opinion",
});
const WORDS = ["step_id", "label", "text"];
const TAKEN = [...WORDS, "track", "start_s", "end_s"];

/** The cases of two versions, [{title, segments}]: label differences by time, then edges by size, then what agrees. */
export function casesOf([first, second]) {
  const there = ({ segments }) => segments.filter(({ is_deleted: isDeleted }) => !isDeleted);
  const left = there(first);
  const right = there(second);
  const partners = matched(left, right);
  const taken = new Set(partners.values());
  const found = left.map((a) => caseOf(a, partners.get(a) ?? null));
  const keys = new Set(left.map(({ key }) => key));
  for (const b of right) {
    if (taken.has(b)) continue;
    // People who began with the same proposals share keys, though one may have moved the segment since.
    found.push({ ...caseOf(null, b), key: keys.has(b.key) ? `${b.key}-b` : b.key });
  }
  const rank = { label: 0, edge: 1, none: 2 };
  return found.sort((one, other) => rank[one.kind] - rank[other.kind] || other.sizeS - one.sizeS || one.startS - other.startS);
}

function caseOf(a, b) {
  const some = a ?? b;
  const isOther = !a || !b || ["step_id", "label"].some((name) => a[name] !== b[name]);
  const sizeS = isOther || some.start_s === null ? 0 : Math.max(Math.abs(a.start_s - b.start_s), Math.abs(a.end_s - b.end_s));
  const kind = isOther ? "label" : sizeS > 0 || a.text !== b.text ? "edge" : "none";
  return { key: some.key, a, b, kind, sizeS, startS: some.start_s ?? Infinity };
}

/** Partners by the largest overlap on the same track; missing steps and untimed ones by what they say. */
function matched(left, right) {
  const pairs = [];
  for (const a of left) {
    for (const b of right) {
      if (a.track !== b.track) continue;
      const isUntimed = a.start_s === null || b.start_s === null;
      const overlap = isUntimed
        ? Number(a.start_s === b.start_s && a.step_id === b.step_id && a.label === b.label)
        : Math.min(a.end_s, b.end_s) - Math.max(a.start_s, b.start_s) + (a.start_s === a.end_s ? 2 : 0);
      if (overlap > 0) pairs.push({ a, b, overlap });
    }
  }
  pairs.sort((one, other) => other.overlap - one.overlap);
  const partners = new Map();
  const used = new Set();
  for (const { a, b } of pairs) {
    if (partners.has(a) || used.has(b)) continue;
    partners.set(a, b);
    used.add(b);
  }
  return partners;
}

export class Adjudication extends EventTarget {
  /** Events: "decided". `versions`: [{title, segments}], two of them. */
  constructor({ root, versions, editor, playback, scale, describing }) {
    super();
    Object.assign(this, { root, versions, editor, playback, scale, describing });
    this.cases = versions.length > 1 ? casesOf(versions) : [];
    this.current = null;
    this.build();
  }

  build() {
    this.title = document.createElement("h2");
    this.told = document.createElement("ul");
    this.told.className = "versions";
    const buttons = document.createElement("div");
    buttons.className = "buttons";
    const choices = [["a", "1"], ["b", "2"], ["mean", "3"], ["own", "4"]];
    this.buttons = new Map(choices.map(([name, digit]) => [name, this.button(name, digit)]));
    buttons.append(...this.buttons.values());
    const label = document.createElement("label");
    label.className = "field";
    this.cause = document.createElement("select");
    this.cause.append(new Option("Choose a cause", ""));
    for (const [value, words] of Object.entries(CAUSES)) this.cause.append(new Option(words, value));
    // Chosen by keys, the decision follows without leaving the list.
    this.cause.addEventListener("keydown", (event) => {
      if (!/^[1-5]$/.test(event.key)) return;
      event.preventDefault();
      event.stopPropagation();
      this.press(event.key);
    });
    label.append("Why they differ ", this.cause);
    this.agreed = this.button("agreed", "5");
    buttons.append(this.agreed);
    this.root.replaceChildren(this.title, this.told, buttons, label);
    this.root.hidden = false;
  }

  button(name, digit) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "button" });
    const key = document.createElement("kbd");
    key.textContent = digit;
    button.append("", key);
    button.addEventListener("click", () => this.decide(name));
    return button;
  }

  isDecided({ key }) {
    return this.editor.book.get(key) !== null;
  }

  get open() {
    return this.cases.filter((item) => !this.isDecided(item));
  }

  start() {
    this.go(this.open.find(({ kind }) => kind !== "none") ?? this.cases[0] ?? null);
  }

  /** Look at a case: its place in the recording, and what both have. */
  go(item) {
    this.current = item;
    this.showCause();
    if (item) {
      const { a, b } = item;
      const some = a ?? b;
      if (some.track !== this.editor.trackName) this.editor.setTrack(some.track);
      this.editor.select(this.editor.book.get(item.key) ? item.key : null, { isGoing: false });
      if (some.start_s !== null) {
        const endS = Math.max(a?.end_s ?? 0, b?.end_s ?? 0);
        this.scale.reveal(some.start_s, endS);
        this.playback.go(some.start_s);
      }
    }
    this.draw();
  }

  /** The cause that was given for a case; none is chosen where nobody gave one. */
  showCause() {
    const given = this.current && this.editor.book.checks.get(`${this.current.key}:cause`);
    this.cause.value = given?.note ?? "";
  }

  draw() {
    const { current, editor } = this;
    const open = this.open;
    const agreeing = open.filter(({ kind }) => kind === "none").length;
    const differing = open.length - agreeing;
    this.title.textContent = !this.cases.length ? "There are no two versions to compare"
      : differing ? `${differing} ${differing === 1 ? "difference" : "differences"} left` : "Every difference is decided";
    const canDecide = Boolean(current) && editor.canEdit;
    this.told.replaceChildren(...(current ? this.lines(current) : []));
    const [first, second] = this.versions.map(({ title }) => title);
    const names = {
      a: current?.a ? `Take ${first}` : "Leave it out", b: current?.b ? `Take ${second}` : "Leave it out", mean: "Mean of the edges", own: "My own",
    };
    for (const [name, button] of this.buttons) {
      button.firstChild.textContent = `${names[name]} `;
      button.disabled = !canDecide || (name === "mean" && !(current.a && current.b && current.a.start_s !== null && current.b.start_s !== null));
    }
    this.agreed.firstChild.textContent = `Take ${agreeing} alike `;
    this.agreed.hidden = !agreeing || !editor.canEdit;
    this.cause.disabled = !canDecide || current.kind === "none";
  }

  lines({ a, b, kind }) {
    const rows = [a, b].map((item, place) => {
      const row = document.createElement("li");
      const name = document.createElement("b");
      name.textContent = `${this.versions[place].title}: `;
      row.append(name, item ? this.describing.aloud(item) + (item.text && item.step_id ? `, “${item.text}”` : "") : "nothing");
      return row;
    });
    if (kind !== "edge" || a.start_s === null) return rows;
    const row = document.createElement("li");
    const { rate } = this.editor.book.state;
    row.textContent = `Start ${differenceText(b.start_s - a.start_s, rate)}, end ${differenceText(b.end_s - a.end_s, rate)}`;
    return [...rows, row];
  }

  /** Press a digit: 1 and 2 take a version, 3 their mean, 4 one's own, 5 all that agree. */
  press(digit) {
    const name = { 1: "a", 2: "b", 3: "mean", 4: "own", 5: "agreed" }[digit];
    if (name && !(name === "agreed" ? this.agreed : this.buttons.get(name)).disabled) this.decide(name);
  }

  decide(name) {
    if (name === "agreed") {
      this.takeAgreed();
      return;
    }
    const { current, editor } = this;
    if (current.kind !== "none" && !this.cause.value) {
      editor.say("First choose why they differ.");
      this.cause.focus();
      return;
    }
    const taken = name === "own" ? current.a ?? current.b : name === "mean" ? this.mean(current) : current[name];
    const how = { a: `take ${this.versions[0].title}`, b: `take ${this.versions[1].title}`, mean: "take the mean edges", own: "decide" }[name];
    const cause = current.kind === "none" ? "" : `: ${CAUSES[this.cause.value].toLowerCase()}`;
    const change = this.changeTo(current, taken);
    if (!change) {
      editor.say("It has been decided like this already.", "");
    } else if (!editor.perform(() => ({ name: `${how}${cause}`, raw_time_s: null, changes: [change] }))?.changes) {
      return;
    }
    if (current.kind !== "none") editor.book.check({ key: current.key, question: "cause", answer: true, note: this.cause.value });
    // The keys are those of the page again.
    this.cause.blur();
    this.dispatchEvent(new CustomEvent("decided"));
    if (name === "own") {
      editor.select(current.key);
      editor.say("Move its edges and give it a label; it is your own now.", "");
      this.draw();
    } else {
      this.goOn();
    }
  }

  goOn() {
    const at = this.cases.indexOf(this.current);
    const next = [...this.cases.slice(at + 1), ...this.cases.slice(0, at)].find((item) => item.kind !== "none" && !this.isDecided(item));
    this.go(next ?? this.current);
  }

  takeAgreed() {
    const changes = this.open.filter(({ kind }) => kind === "none").map((item) => this.changeTo(item, item.a)).filter(Boolean);
    if (changes.length) this.editor.perform(() => ({ name: `take ${changes.length} on which both agree`, raw_time_s: null, changes }));
    this.draw();
  }

  mean({ a, b }) {
    const { rate } = this.editor.book.state;
    const middle = (name) => {
      const timeS = (a[name] + b[name]) / 2;
      return rounded(rate ? Math.round(timeS * rate) / rate : timeS);
    };
    return { ...a, start_s: middle("start_s"), end_s: middle("end_s") };
  }

  /** The change that makes the case's segment as `source`, or deletes it; null where it is so. */
  changeTo({ key, a, b }, source) {
    const now = this.editor.book.get(key);
    const base = source ?? a ?? b;
    const parent = this.parentOf(base, base === b ? "b" : "a");
    const content = { ...Object.fromEntries(TAKEN.map((name) => [name, base[name]])), parent_key: parent, is_deleted: source === null, is_proposal: false };
    if (!now) return { before: null, after: segment(key, content) };
    const isSame = Object.keys(content).every((name) => now[name] === content[name]);
    return isSame ? null : changed(now, content);
  }

  /** What it belongs to, of the same version, has the key of its own case. */
  parentOf({ parent_key: parentKey }, side) {
    if (!parentKey) return "";
    return this.cases.find((item) => item[side]?.key === parentKey)?.key ?? parentKey;
  }

  /** What is still to be decided, as the foot of the list counts it. */
  leftToDo() {
    return this.open.map((item) => ({ kind: "case", case: item, key: "" }));
  }
}
