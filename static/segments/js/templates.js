/** Descriptions that are built from slots: "use {wrong} but should use {correct}".
 *
 * The twin of segments/engine/templates.py. A slot is a word in braces; what the person
 * fills in has no article and no subject.
 */

import { GestureError } from "./model.js";

const SLOT = /\{([a-z_]+)\}/g;

function oneLine(text) {
  return text.trim().split(/\s+/).join(" ");
}

/** The slots of a pattern in their order, each once. */
export function slotsOf(pattern) {
  return [...new Set([...pattern.matchAll(SLOT)].map(([, name]) => name))];
}

/** The description; throws `GestureError` where a slot is empty or unknown. */
export function fill(pattern, values) {
  const slots = slotsOf(pattern);
  for (const name of Object.keys(values)) {
    if (slots.includes(name)) continue;
    throw new GestureError(`slot '${name}' is not in '${pattern}'; expected ${slots.join(", ") || "no slots"}`);
  }
  const filled = Object.fromEntries(slots.map((name) => [name, oneLine(values[name] ?? "")]));
  const empty = slots.find((name) => !filled[name]);
  if (empty) throw new GestureError(`slot '${empty}' of '${pattern}' is empty; expected words`, `Fill in “${empty.replaceAll("_", " ")}”.`);
  return pattern.replace(SLOT, (_, name) => filled[name]);
}

/** The slots of a text that was built with this pattern, or null where it was not.
 *
 * Upper and lower case are one, and so are all spaces. Where the words could be shared out in several
 * ways, earlier slots take as little as they can.
 */
export function read(pattern, text) {
  const seen = new Set();
  const parts = oneLine(pattern).split(SLOT).map((part, place) => {
    if (place % 2 === 0) return part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
    if (seen.has(part)) return `\\k<${part}>`;
    seen.add(part);
    return `(?<${part}>\\S(?:.*?\\S)?)`;
  });
  const found = new RegExp(`^(?:${parts.join("")})$`, "iu").exec(oneLine(text));
  return found && { ...found.groups };
}
