/** One lane: a pool of elements for what is in the window, never for the whole recording.
 *
 * Where many segments share a few pixels they are drawn as one block that says how many they are.
 */

// Narrower than this nobody could click a segment of its own.
const SMALLEST_PX = 4;
const APART_PX = 1;
const POINT_PX = 9;
// Room for a number, and for words.
const NUMBER_PX = 16;
const WORDS_PX = 48;

export class Lane {
  /** `describe(segment)` gives {text, short, classes, label} of what is drawn. */
  constructor({ root, name, kind, isPoints = false, describe }) {
    this.root = root;
    this.name = name;
    this.kind = kind;
    this.isPoints = isPoints;
    this.describe = describe;
    this.segments = [];
    this.longestS = 0;
    this.pool = [];
    this.isEdited = false;
  }

  /** `segments` with times, in their order. */
  set(segments) {
    this.isEdited = true;
    this.segments = segments;
    this.longestS = segments.reduce((longest, { start_s, end_s }) => Math.max(longest, end_s - start_s), 0);
  }

  /** Those that reach into a span; found from the first that could. */
  within(startS, endS) {
    const found = [];
    let low = 0;
    let high = this.segments.length;
    const from = startS - this.longestS;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.segments[middle].start_s < from) low = middle + 1;
      else high = middle;
    }
    for (let index = low; index < this.segments.length && this.segments[index].start_s <= endS; index += 1) {
      if (this.segments[index].end_s >= startS) found.push(this.segments[index]);
    }
    return found;
  }

  /** An element stays with its segment, so that of a lane that scrolls nothing changes but places. */
  draw(scale, { selected, changed }) {
    const shown = this.within(scale.startS, scale.endS).map((item) => changed?.get(item.key) ?? item);
    const groups = new Map(groupsOf(shown, scale, selected).map((group) => [idOf(group), group]));
    const held = new Map(this.pool.map((item) => [item.id, item]));
    const free = this.pool.filter(({ id }) => !groups.has(id));
    // They stand in the document in the order of time, so that they are read in it: the last goes first.
    let following = this.root.querySelector(":scope > .handle");
    for (const [id, group] of [...groups].reverse()) {
      const item = held.get(id) ?? free.pop() ?? this.make();
      // Only what stands elsewhere is moved: it would lose the focus.
      const isAfter = this.isEdited && following && item.element.compareDocumentPosition(following) & Node.DOCUMENT_POSITION_PRECEDING;
      if (item.id !== id || isAfter) this.root.insertBefore(item.element, following);
      item.id = id;
      if (item.element.hidden) item.element.hidden = false;
      this.drawGroup(item, group, scale, selected);
      following = item.element;
    }
    this.isEdited = false;
    for (const item of free) {
      if (!item.element.hidden) item.element.hidden = true;
      Object.assign(item, { id: null, key: null });
    }
  }

  drawGroup(item, group, scale, selected) {
    const left = Math.max(-20, group.left);
    const right = Math.min(scale.width + 20, group.right);
    const isPoint = this.isPoints && group.segments.length === 1;
    const width = isPoint ? POINT_PX : Math.max(2, right - left);
    place(item, isPoint ? group.left - POINT_PX / 2 : left, width);
    const [first] = group.segments;
    if (group.segments.length > 1) {
      item.key = null;
      fill(item, { text: "", classes: "seg merged", label: `${group.segments.length} segments close together`, isCurrent: null });
      return;
    }
    item.key = first.key;
    const { text, short = "", classes, label } = this.describe(first);
    const cut = `${group.left < 0 ? " cut-left" : ""}${group.right > scale.width ? " cut-right" : ""}`;
    const isSelected = first.key === selected;
    const words = width < WORDS_PX ? (width < NUMBER_PX ? "" : short) : group.left < 0 ? `‹ ${text}` : text;
    fill(item, { text: words, classes: `seg ${classes}${cut}${isSelected ? " selected" : ""}${isPoint ? " point" : ""}${width < WORDS_PX ? " narrow" : ""}`, label, isCurrent: isSelected });
  }

  make() {
    // Not a button: Enter opens the label and Space plays, as everywhere on the page.
    const element = document.createElement("div");
    element.tabIndex = -1;
    const item = { element, id: null, key: null };
    this.pool.push(item);
    return item;
  }

  keyOf(element) {
    return this.pool.find((item) => item.element === element)?.key ?? null;
  }

  elementOf(key) {
    return this.pool.find((item) => item.key === key && !item.element.hidden)?.element ?? null;
  }

  /** The segment at a moment, the shortest where several are; else the nearest within `slackS`. */
  at(timeS, slackS = 0) {
    const near = this.within(timeS - slackS, timeS + slackS);
    const distance = ({ start_s, end_s }) => Math.max(start_s - timeS, timeS - end_s, 0);
    const length = ({ start_s, end_s }) => end_s - start_s;
    const isIn = ({ start_s, end_s }) => start_s <= timeS && timeS < end_s;
    near.sort((a, b) => isIn(b) - isIn(a) || distance(a) - distance(b) || length(a) - length(b));
    return near[0] ?? null;
  }

  /** The edge nearest to a moment: {key, edge, timeS}; that of the selected segment goes first. */
  edgeAt(timeS, slackS, selected) {
    const edges = this.within(timeS - slackS, timeS + slackS).flatMap(({ key, start_s, end_s }) => [
      { key, edge: "start", timeS: start_s, isSelected: key === selected },
      { key, edge: "end", timeS: end_s, isSelected: key === selected },
    ]);
    const near = edges.filter((item) => Math.abs(item.timeS - timeS) <= slackS);
    const side = (item) => (item.edge === "start") === (timeS >= item.timeS);
    near.sort((a, b) => b.isSelected - a.isSelected || Math.abs(a.timeS - timeS) - Math.abs(b.timeS - timeS) || side(b) - side(a));
    return near[0] ?? null;
  }
}

/** Neighbours too narrow to be told apart become one group: {left, right, segments}. */
function groupsOf(segments, scale, selected) {
  const groups = [];
  let open = null;
  for (const segment of segments) {
    const left = scale.xOf(segment.start_s);
    const right = scale.xOf(segment.end_s);
    const isNarrow = right - left < SMALLEST_PX && segment.key !== selected;
    if (open && isNarrow && left - open.right <= APART_PX + SMALLEST_PX) {
      open.right = Math.max(open.right, right);
      open.segments.push(segment);
      continue;
    }
    const group = { left, right, segments: [segment] };
    groups.push(group);
    open = isNarrow ? group : null;
  }
  return groups;
}

const idOf = ({ segments }) => (segments.length > 1 ? `several:${segments[0].key}` : segments[0].key);

function place(item, left, width) {
  if (item.left !== left) {
    item.left = left;
    item.element.style.transform = `translateX(${left.toFixed(1)}px)`;
  }
  if (item.width !== width) {
    item.width = width;
    item.element.style.width = `${width.toFixed(1)}px`;
  }
}

function fill(item, { text, classes, label, isCurrent }) {
  const { element } = item;
  if (item.text !== text) {
    item.text = text;
    element.textContent = text;
  }
  if (item.classes !== classes) {
    item.classes = classes;
    element.className = classes;
  }
  if (item.label !== label) {
    item.label = label;
    element.setAttribute("aria-label", label);
    element.title = label;
  }
  if (item.isCurrent !== isCurrent) {
    item.isCurrent = isCurrent;
    element.setAttribute("role", isCurrent === null ? "img" : "button");
    if (isCurrent === null) element.removeAttribute("aria-pressed");
    else element.setAttribute("aria-pressed", String(isCurrent));
    element.tabIndex = isCurrent ? 0 : -1;
  }
}
