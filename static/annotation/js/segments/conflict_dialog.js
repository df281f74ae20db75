/** A gesture that another tab was before: kept as a whole, or left as a whole. */

const SVG = "http://www.w3.org/2000/svg";
const [WIDTH, LANE, GAP] = [100, 6, 2];

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
    group.append(
      legend, lanes([mine, theirs]),
      this.option("mine", `This page: ${this.tell(mine)}`), this.option("theirs", `Saved: ${this.tell(theirs)}${later}`),
    );
    group.querySelector("input").checked = true;
    this.list.replaceChildren(group);
    if (!this.dialog.open) this.dialog.showModal();
    group.querySelector("input").focus();
  }

  tell(segments) {
    return segments.map((item) => (item.is_deleted ? `${this.wordsOf(item)}, deleted` : this.wordsOf(item))).join("; ") || "nothing";
  }

  option(value, text) {
    const label = document.createElement("label");
    const input = document.createElement("input");
    Object.assign(input, { type: "radio", name: "conflict", value });
    label.append(input, ` ${text}`);
    return label;
  }
}

/** This page's segments over the saved ones, on one scale; the words beside say the same. */
function lanes(sides) {
  const timed = sides.map((items) => items.filter((item) => item.start_s !== null && !item.is_deleted));
  const firstS = Math.min(...timed.flat().map(({ start_s: startS }) => startS));
  const lengthS = Math.max(...timed.flat().map(({ end_s: endS }) => endS)) - firstS;
  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("viewBox", `0 0 ${WIDTH} ${2 * LANE + GAP}`);
  picture.setAttribute("class", "conflict-lanes");
  picture.setAttribute("aria-hidden", "true");
  timed.forEach((items, lane) => {
    for (const { start_s: startS, end_s: endS } of items) {
      const box = document.createElementNS(SVG, "rect");
      box.setAttribute("x", (WIDTH * (startS - firstS)) / (lengthS || 1));
      box.setAttribute("y", lane * (LANE + GAP));
      box.setAttribute("width", Math.max(1, (WIDTH * (endS - startS)) / (lengthS || 1)));
      box.setAttribute("height", LANE);
      box.setAttribute("class", lane ? "theirs" : "mine");
      picture.append(box);
    }
  });
  return picture;
}
