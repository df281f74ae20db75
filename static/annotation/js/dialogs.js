/** The dialogs that only a person can end: login again, choose between two answers. */

import { keyOf } from "./ratings.js";

export class LoginDialog {
  constructor(dialog, { onContinue, onDismiss }) {
    this.dialog = dialog;
    dialog.addEventListener("cancel", onDismiss);
    dialog.querySelector("[data-continue]").addEventListener("click", () => {
      dialog.close();
      onContinue();
    });
  }

  open(count) {
    const text = count === 1 ? "1 unsaved change is" : `${count} unsaved changes are`;
    this.dialog.querySelector("[data-unsaved]").textContent = text;
    if (!this.dialog.open) this.dialog.showModal();
  }

  close() {
    if (this.dialog.open) this.dialog.close();
  }
}

export class ConflictDialog {
  /** `onChoose` gets a map: key -> true for this page's answer, false for the saved one. */
  constructor(dialog, { book, nameOf, onChoose }) {
    this.dialog = dialog;
    this.book = book;
    this.nameOf = nameOf;
    this.list = dialog.querySelector("[data-conflicts]");
    dialog.querySelector("form").addEventListener("submit", () => {
      const chosen = [...this.list.querySelectorAll("input:checked")];
      onChoose(new Map(chosen.map((input) => [input.name, input.value === "mine"])));
    });
  }

  open(conflicts) {
    this.list.replaceChildren(...conflicts.map((conflict) => this.choice(conflict)));
    // Its heading has the focus: a key that was meant for the page would choose unread.
    if (!this.dialog.open) this.dialog.showModal();
  }

  choice({ event, metric, theirs }) {
    const group = document.createElement("fieldset");
    group.className = "conflict";
    const legend = document.createElement("legend");
    legend.textContent = `${this.nameOf(event)}: ${this.book.titleOf(metric)}`;
    const time = new Date(theirs.rated_at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    const saved = theirs.rated_at ? `Saved at ${time}` : "Saved earlier";
    const mine = this.book.get(event, metric);
    group.append(
      legend,
      this.option(keyOf(event, metric), "mine", `This page: ${this.book.words(metric, mine)}`),
      this.option(keyOf(event, metric), "theirs", `${saved}: ${this.book.words(metric, { cannot_judge: null, ...theirs })}`),
    );
    group.querySelector("input").checked = true;
    return group;
  }

  option(name, value, text) {
    const label = document.createElement("label");
    const input = document.createElement("input");
    Object.assign(input, { type: "radio", name, value });
    label.append(input, ` ${text}`);
    return label;
  }
}

/** Shows what was done to a version that is no more, so that it can be copied; `goOn` takes it along. */
export class ReplacedDialog {
  constructor(dialog, { saver, onDiscarded, goOn = () => this.end() }) {
    this.dialog = dialog;
    this.saver = saver;
    this.onDiscarded = onDiscarded;
    this.answers = dialog.querySelector("[data-answers]");
    this.told = dialog.querySelector("[data-told]");
    dialog.querySelector("[data-copy]").addEventListener("click", () => this.copy());
    dialog.querySelector("[data-load]").addEventListener("click", () => goOn());
    dialog.querySelector("[data-discard]").addEventListener("click", () => this.discard());
  }

  open() {
    this.answers.value = this.saver.replacedWords().join("\n");
    this.told.textContent = "";
    if (!this.dialog.open) this.dialog.showModal();
    this.answers.focus();
  }

  async discard() {
    const isOldPage = this.saver.isReplaced;
    await this.saver.discardReplaced();
    this.onDiscarded();
    this.end(isOldPage);
  }

  /** A page that is itself of the old version is loaded anew. */
  end(isOldPage = this.saver.isReplaced) {
    this.dialog.close();
    if (!isOldPage) return;
    this.saver.leave();
    window.location.reload();
  }

  /** Where the browser forbids the clipboard, the text is selected and the rater copies it. */
  copy() {
    this.answers.select();
    navigator.clipboard?.writeText(this.answers.value).then(
      () => { this.told.textContent = "Copied."; },
      () => { this.told.textContent = "Text selected: copy it with Ctrl+C."; },
    );
  }
}

/** One line at the top of the page, with a button where there is something to do. */
export class Notices {
  constructor(root) {
    this.root = root;
    this.shown = new Map();
  }

  show(name, kind, text, action = null) {
    this.clear(name);
    const line = document.createElement("div");
    line.className = `message ${kind}`;
    const words = document.createElement("span");
    words.textContent = text;
    line.append(words, button("×", () => this.clear(name), "Close this message"));
    if (action) words.after(button(action.text, action.run));
    this.shown.set(name, line);
    this.root.append(line);
  }

  clear(name) {
    this.shown.get(name)?.remove();
    this.shown.delete(name);
  }
}

function button(text, run, label) {
  const element = document.createElement("button");
  element.type = "button";
  element.className = "button quiet";
  element.textContent = text;
  if (label) element.setAttribute("aria-label", label);
  element.addEventListener("click", run);
  return element;
}
