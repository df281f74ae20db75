/** Asks about a gesture that conflicts with another tab's: it is kept or discarded as a whole. */

const SVG = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT] = [400, 10];

export class SegmentConflictDialog {
  /** `wordsOf(segment)` tells one of those between which a person chooses. */
  constructor(dialog, { outbox, wordsOf }) {
    Object.assign(this, { dialog, outbox, wordsOf });
    this.list = dialog.querySelector("[data-conflicts]");
    // Escape would leave the page unable to save with nothing to say why.
    dialog.addEventListener("cancel", (event) => event.preventDefault());
    dialog.querySelector("form").addEventListener("submit", () => {
      outbox.resolve(this.list.querySelector("input:checked").value === "mine");
    });
  }

  open() {
    const [{ name, mine, theirs, laterCount }] = this.outbox.conflicts;
    const group = document.createElement("fieldset");
    group.className = "conflict";
    const legend = document.createElement("legend");
    legend.textContent = name;
    const later = laterCount ? `; ${laterCount} later ${laterCount === 1 ? "change goes" : "changes go"} with this one` : "";
    const [own, saved] = lanes([mine, theirs]);
    group.append(legend, this.option("mine", `This page: ${this.tell(mine)}`, own), this.option("theirs", `Saved: ${this.tell(theirs)}${later}`, saved));
    group.querySelector("input").checked = true;
    this.list.replaceChildren(group);
    // Its heading has the focus: an arrow or Enter that was meant for the page would choose unread.
    if (!this.dialog.open) this.dialog.showModal();
  }

  tell(segments) {
    return segments.map((item) => (item.is_deleted ? `${this.wordsOf(item)}, deleted` : this.wordsOf(item))).join("; ") || "nothing";
  }

  option(value, text, lane) {
    const label = document.createElement("label");
    const input = document.createElement("input");
    Object.assign(input, { type: "radio", name: "conflict", value });
    label.append(input, ` ${text}`, lane);
    return label;
  }
}

/** A picture of each side's segments, both on one scale; the words beside say the same. */
function lanes(sides) {
  const timed = sides.map((items) => items.filter((item) => item.start_s !== null && !item.is_deleted));
  const firstS = Math.min(...timed.flat().map(({ start_s: startS }) => startS));
  const lengthS = Math.max(...timed.flat().map(({ end_s: endS }) => endS)) - firstS || 1;
  return timed.map((items) => {
    const lane = document.createElementNS(SVG, "svg");
    Object.entries({ class: "conflict-lane", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" })
      .forEach(([name, value]) => lane.setAttribute(name, value));
    for (const { start_s: startS, end_s: endS } of items) {
      const box = document.createElementNS(SVG, "rect");
      Object.entries({ x: (WIDTH * (startS - firstS)) / lengthS, width: Math.max(1, (WIDTH * (endS - startS)) / lengthS), height: HEIGHT })
        .forEach(([name, value]) => box.setAttribute(name, value));
      lane.append(box);
    }
    return lane;
  });
}
