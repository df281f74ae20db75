/** Scroll one box and nothing around it, so that the page stays where the rater put it. */

/** Bring an element into view inside the box that scrolls it, `above` and `below` pixels clear of its ends.
 *
 * `isRow`: the box scrolls sideways too.
 */
export function bringIntoView(box, element, { above = 0, below = 0, isCentred = false, isRow = false } = {}) {
  const frame = box.getBoundingClientRect();
  const { top, bottom, height, left, right } = element.getBoundingClientRect();
  const start = frame.top + above;
  const end = frame.bottom - below;
  if (isCentred) box.scrollTop += top - (start + end - height) / 2;
  else if (top < start) box.scrollTop += top - start;
  else if (bottom > end) box.scrollTop += Math.min(bottom - end, top - start);
  if (isRow && left < frame.left) box.scrollLeft += left - frame.left;
  else if (isRow && right > frame.right) box.scrollLeft += Math.min(right - frame.right, left - frame.left);
}
