/** Times of another lane taken over: those of the reference, of a proposal, or of another person. */

import { changed } from "./model.js";

/** Give a segment the times of another one, and its step where it has none; touching neighbours follow. */
export function takeTimes(editor, item, source, name) {
  if (!editor.mayMove()) return null;
  const { geometry } = editor.track;
  const others = editor.book.state.timed(editor.trackName).filter(({ key }) => key !== item.key);
  const isShared = item.start_s !== null && (editor.settings.sharesEdges || geometry === "partition");
  const before = isShared ? others.find(({ end_s: endS }) => endS === item.start_s) : null;
  const after = isShared ? others.find(({ start_s: startS }) => startS === item.end_s) : null;
  const moved = new Map();
  // Whom it changes nothing keeps its answers.
  if (before && before.end_s !== source.start_s) moved.set(before.key, changed(before, { end_s: source.start_s }));
  if (after && after.start_s !== source.end_s) moved.set(after.key, changed(after, { start_s: source.end_s }));
  const isTaken = others.map((other) => moved.get(other.key)?.after ?? other).some((other) => (
    other.start_s >= other.end_s || (geometry !== "free" && other.start_s < source.end_s && source.start_s < other.end_s)
  ));
  if (isTaken) {
    editor.say("No room: another segment lies where it would go.");
    return null;
  }
  const content = { start_s: source.start_s, end_s: source.end_s, is_proposal: false };
  if (!item.step_id) content.step_id = source.step_id;
  if (Object.keys(content).every((field) => item[field] === content[field])) {
    editor.say("It is there already.", "");
    return null;
  }
  return editor.perform(() => ({ name, raw_time_s: null, changes: [changed(item, content), ...moved.values()] }));
}
