/** Every key of the page, in one list that also makes the help dialog. */

/** `bindings`: [{keys, shown, text, run(event)}]; `run` returns false to leave the key alone. */
export class Keys {
  constructor(bindings) {
    this.bindings = bindings;
    document.addEventListener("keydown", (event) => this.onKey(event));
  }

  onKey(event) {
    if (event.defaultPrevented || isTyping(event.target) || document.querySelector("dialog[open]")) return;
    if (event.metaKey || event.altKey) return;
    const name = event.ctrlKey ? `Ctrl+${event.key}` : event.key;
    const binding = this.bindings.find((item) => item.keys.includes(name));
    if (!binding || belongsToControl(event)) return;
    if (binding.run(event) !== false) event.preventDefault();
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

function isTyping(target) {
  if (target.isContentEditable || ["TEXTAREA", "SELECT"].includes(target.tagName)) return true;
  return target.tagName === "INPUT" && target.type !== "radio";
}

/** Space and Enter press the focused button, as everywhere. */
function belongsToControl(event) {
  return [" ", "Enter"].includes(event.key) && !event.ctrlKey
    && event.target.closest("button, a[href], summary") !== null;
}
