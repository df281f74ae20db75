/** Earlier revisions: by time and gesture, to look at and to bring back. */

import { call, troubleWords } from "../../annotation/js/api.js";
import { Segmentation, fromTable } from "./model.js";

export class HistoryPanel {
  /** `url` lists the gestures; what they made lies at `url<head>/`. `ready` is awaited before a look. */
  constructor({ root, opener, url, editor, notices, ready }) {
    Object.assign(this, { root, opener, url, editor, notices, ready });
    this.items = [];
    this.past = null;
    // Goes on whenever another revision is asked for, or none any more.
    this.turn = 0;
    this.build();
    opener.addEventListener("click", () => this.toggle());
  }

  build() {
    const header = document.createElement("header");
    const title = document.createElement("h2");
    title.textContent = "Earlier revisions";
    header.append(title, this.button("Close", () => this.close(), "button quiet"));
    this.list = document.createElement("ol");
    this.list.setAttribute("tabindex", "-1");
    const footer = document.createElement("footer");
    this.more = this.button("Older ones", () => this.load());
    this.now = this.button("Back to now", () => this.lookNow());
    this.restore = this.button("Restore this one", () => this.bringBack(), "button primary");
    footer.append(this.more, this.now, this.restore);
    this.root.replaceChildren(header, this.list, footer);
    this.root.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.close();
    });
  }

  button(text, run, className = "button") {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className, textContent: text });
    button.addEventListener("click", run);
    return button;
  }

  toggle() {
    if (this.root.hidden) this.open();
    else this.close();
  }

  async open() {
    this.root.hidden = false;
    this.opener.setAttribute("aria-expanded", "true");
    this.items = [];
    this.list.replaceChildren();
    this.drawFoot();
    // At once: what comes later takes the keyboard from nobody who has gone on meanwhile.
    this.list.focus();
    await this.ready();
    await this.load();
    if (document.activeElement === this.list) this.list.querySelector("button")?.focus();
  }

  close() {
    this.lookNow();
    this.root.hidden = true;
    this.opener.setAttribute("aria-expanded", "false");
    this.opener.focus();
  }

  async ask(url) {
    try {
      return await call("GET", url);
    } catch (error) {
      this.notices.show("history", "error", troubleWords(error));
      return null;
    }
  }

  async load() {
    const { items } = this;
    const before = items.at(-1)?.head;
    const found = await this.ask(before ? `${this.url}?before=${before}` : this.url);
    // A second press, or the panel opened anew, has asked for the same.
    if (!found || items !== this.items || items.at(-1)?.head !== before) return;
    this.items.push(...found);
    this.list.append(...found.map((item) => this.row(item)));
    if (!this.items.length) {
      const none = document.createElement("li");
      none.className = "empty-list";
      none.textContent = "Nothing has been changed yet.";
      this.list.append(none);
    }
    this.more.hidden = !found.length || found.at(-1).head <= 1;
  }

  row({ head, name, made_at: madeAt, key_count: count }) {
    const row = document.createElement("li");
    const button = this.button("", () => this.look(head, button), "");
    const number = document.createElement("span");
    number.className = "mono";
    number.textContent = String(head);
    const words = document.createElement("span");
    words.textContent = count > 1 ? `${name} (${count} segments)` : name;
    const time = document.createElement("time");
    time.className = "small";
    time.dateTime = madeAt;
    time.textContent = new Date(madeAt).toLocaleString([], { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
    button.setAttribute("aria-pressed", "false");
    button.append(number, words, time);
    row.append(button);
    return row;
  }

  async look(head, button) {
    this.turn += 1;
    const { turn } = this;
    const found = await this.ask(`${this.url}${head}/`);
    // Who asked for another one meanwhile, or went back to now, sees no longer this one.
    if (!found || turn !== this.turn) return;
    const { durationS, rate } = this.editor.book.state;
    const segments = new Map(fromTable(found.segments).map((item) => [item.key, item]));
    this.past = new Segmentation(segments, { durationS, rate, head });
    this.editor.look(this.past);
    for (const other of this.list.querySelectorAll("button")) other.setAttribute("aria-pressed", String(other === button));
    this.notices.show("history", "warning", `You look at revision ${head}. Nothing has been changed.`, { text: "Back to now", run: () => this.lookNow() });
    this.drawFoot();
  }

  lookNow() {
    this.turn += 1;
    if (!this.past) return;
    this.past = null;
    this.editor.look(null);
    for (const button of this.list.querySelectorAll("[aria-pressed]")) button.setAttribute("aria-pressed", "false");
    this.notices.clear("history");
    this.drawFoot();
  }

  bringBack() {
    const { past } = this;
    this.lookNow();
    if (past) this.editor.perform((how) => how.restore(past));
    this.close();
  }

  drawFoot() {
    this.now.hidden = !this.past;
    this.restore.hidden = !this.past || !this.editor.options.canEdit || this.editor.options.isAudit;
    if (!this.items.length) this.more.hidden = true;
  }
}
