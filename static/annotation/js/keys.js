/** Every key of the page, in one list that also makes the help dialog. */

const CONTROLS = "button, a[href], summary";

/** `bindings`: [{keys, shown, text, run(event)}]; `run` returns false to leave the key alone.
 *
 * Keys are named as "a", "A", "ArrowLeft", "Shift+ArrowLeft", "Ctrl+z", "Ctrl+Shift+z"; Cmd is Ctrl.
 */
export class Keys {
  constructor(bindings) {
    this.bindings = bindings;
    this.clicked = null;
    document.addEventListener("keydown", (event) => this.onKey(event));
    document.addEventListener("pointerdown", ({ target }) => { this.clicked = target.closest(CONTROLS); });
    document.addEventListener("focusin", ({ target }) => { if (target !== this.clicked) this.clicked = null; });
    // Some browsers press a focused button when Space comes up, whatever became of its going down.
    document.addEventListener("keyup", (event) => { if (event.key === " " && this.isSpaceTaken) event.preventDefault(); });
  }

  onKey(event) {
    if (event.defaultPrevented || isTyping(event.target) || document.querySelector("dialog[open]")) return;
    if (event.altKey) return;
    const name = nameOf(event);
    const bound = (wanted) => this.bindings.find((item) => item.keys.includes(wanted));
    // Where Shift means nothing of its own it changes nothing.
    const binding = bound(name) ?? bound(name.replace("Shift+", ""));
    this.isSpaceTaken = false;
    if (!binding || this.belongsToControl(event)) return;
    if (binding.run(event) === false) return;
    event.preventDefault();
    this.isSpaceTaken = name === " ";
  }

  /** Space and Enter press the button that Tab went to, not the one that was last clicked. */
  belongsToControl(event) {
    const control = [" ", "Enter"].includes(event.key) && !event.ctrlKey && !event.metaKey && event.target.closest(CONTROLS);
    return Boolean(control) && control !== this.clicked;
  }

  fill(list) {
    for (const { shown, text } of this.bindings) {
      const term = document.createElement("dt");
      for (const key of shown) {
        const mark = document.createElement("kbd");
        mark.textContent = key;
        term.append(mark, " ");
      }
      const meaning = document.createElement("dd");
      meaning.textContent = text;
      list.append(term, meaning);
    }
  }
}

/** The name of what is pressed, whatever Caps Lock says. */
function nameOf({ key, shiftKey, ctrlKey, metaKey }) {
  const isLetter = /^\p{L}$/u.test(key);
  if (ctrlKey || metaKey) return `Ctrl+${shiftKey ? "Shift+" : ""}${isLetter ? key.toLowerCase() : key}`;
  if (isLetter) return shiftKey ? key.toUpperCase() : key.toLowerCase();
  return shiftKey && key.length > 1 ? `Shift+${key}` : key;
}

function isTyping(target) {
  if (target.isContentEditable || ["TEXTAREA", "SELECT"].includes(target.tagName)) return true;
  return target.tagName === "INPUT" && target.type !== "radio";
}
