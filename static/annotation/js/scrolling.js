/** Scroll one box and nothing around it, so that the page stays where the rater put it. */

/** Bring an element into view inside the box that scrolls it, `above` and `below` pixels clear of its ends. */
export function bringIntoView(box, element, { above = 0, below = 0, isCentred = false } = {}) {
  const frame = box.getBoundingClientRect();
  const { top, bottom, height } = element.getBoundingClientRect();
  const start = frame.top + above;
  const end = frame.bottom - below;
  if (isCentred) box.scrollTop += top - (start + end - height) / 2;
  else if (top < start) box.scrollTop += top - start;
  else if (bottom > end) box.scrollTop += Math.min(bottom - end, top - start);
}
