/** What holds for the keys of every page: one press counts once, and what writes a letter is no key of the page.
 *
 * A key that stays down comes again and again, on the next page too: a slow hand would answer questions that
 * nobody has read, and write the letter that opened a field into it.
 */

// What goes step by step does so for as long as its key is held.
const STEPS = /^(Tab|Arrow\w+|Page\w+|[,.<>+=_j-])$/i;
// What the keys of an input method report where a browser does not say that it is composing.
const COMPOSING = 229;
// By code, what this page has heard of the last press of each key.
const presses = new Map();

// Before any script of the page hears of it.
window.addEventListener("keydown", (event) => {
  if (event.isComposing || event.keyCode === COMPOSING) {
    event.stopImmediatePropagation();
    return;
  }
  if (!event.repeat) {
    presses.set(event.code, event);
    return;
  }
  const pressed = presses.get(event.code);
  // What undo takes back too far can be done again there.
  const isUndoing = (event.ctrlKey || event.metaKey) && /^[zy]$/i.test(event.key) && document.getElementById("redo");
  // Where no script has taken its press it writes on or deletes on, and presses no button that comes under it.
  const goesOn = pressed && !pressed.defaultPrevented && pressed.target === event.target;
  if (goesOn || (pressed && (STEPS.test(event.key) || isUndoing))) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}, true);
