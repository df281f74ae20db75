/** The list, and going from segment to segment, kept to one label, to what has none, or to what is flagged. */

const EVERYTHING = "";
const KINDS = Object.freeze({
  step: { passes: (item, value) => item.step_id === value },
  label: { passes: (item, value) => item.label === value },
  unnamed: { words: "Without a label", passes: (item) => !item.step_id && !item.label },
  flagged: { words: "Flagged", passes: (item) => item.is_flagged },
  proposed: { words: "Proposals", passes: (item) => item.is_proposal },
});
const MOST_LETTERS = 60;

export class ListFilter extends EventTarget {
  /** Events: "change". `choices` names the steps. */
  constructor({ select, choices }) {
    super();
    Object.assign(this, { select, choices });
    this.value = EVERYTHING;
    this.offered = null;
    select.addEventListener("change", () => this.set(select.value));
  }

  get isOn() {
    return this.value !== EVERYTHING;
  }

  set(value) {
    this.value = value;
    this.select.value = value;
    this.dispatchEvent(new CustomEvent("change"));
  }

  passes(item) {
    if (!this.isOn) return true;
    const [kind, value] = apart(this.value);
    return KINDS[kind].passes(item, value);
  }

  /** To those like this one, or to everything again. */
  toggle(item) {
    if (this.isOn || !item) this.set(EVERYTHING);
    else this.set(item.step_id ? `step:${item.step_id}` : item.label ? `label:${item.label}` : "unnamed:");
  }

  /** Offer what is there. */
  draw(segments) {
    const found = new Map();
    const add = (value, words) => found.set(value, words);
    const ids = new Set(segments.map(({ step_id: id }) => id).filter(Boolean));
    const known = this.choices.steps.filter(({ step_id: id }) => ids.has(id));
    for (const { step_id: id, number, text } of known) add(`step:${id}`, `${number} ${text}`);
    for (const id of ids) if (!this.choices.get(id)) add(`step:${id}`, this.choices.textOf(id));
    for (const label of new Set(segments.map((item) => item.label).filter(Boolean))) add(`label:${label}`, `▲ ${label}`);
    for (const kind of ["unnamed", "flagged", "proposed"]) if (segments.some((item) => KINDS[kind].passes(item))) add(`${kind}:`, KINDS[kind].words);
    // What one looks at stays, though nothing is left of it.
    if (this.isOn && !found.has(this.value)) add(this.value, KINDS[apart(this.value)[0]].words ?? "Nothing left of this label");
    const names = [...found.keys()].join("\n");
    if (names === this.offered) return;
    this.offered = names;
    const everything = option(EVERYTHING, "All labels");
    this.select.replaceChildren(everything, ...[...found].map(([value, words]) => option(value, words)));
    this.select.value = this.value;
  }
}

function apart(value) {
  const at = value.indexOf(":");
  return [value.slice(0, at), value.slice(at + 1)];
}

function option(value, words) {
  const element = document.createElement("option");
  Object.assign(element, { value, textContent: words.length > MOST_LETTERS ? `${words.slice(0, MOST_LETTERS)}…` : words });
  return element;
}
