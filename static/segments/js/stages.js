/** What differs by the stage of a round: what is left to do, and how it ends. */

import { call, troubleWords } from "../../annotation/js/api.js";
import { FormDraft } from "../../annotation/js/draft.js";
import { Segmentation, fromTable } from "./model.js";
import { askPreview, askReject, askReturn } from "./segment_dialogs.js";
import { goOn } from "./segment_saving.js";

const STAGE_WORDS = Object.freeze({ label: "labelling", audit: "audit", correct: "correction", review: "review", adjudicate: "adjudication" });
const OPEN = new Set(["open", "returned"]);

export class Stages {
  constructor(parts) {
    Object.assign(this, parts);
    this.find = (selector) => document.querySelector(selector);
    const draftOf = (action) => new FormDraft(this.find(`#${action}-dialog form`), `piev:segments:${this.data.account}:${this.data.id}:${action}`);
    this.drafts = { reject: draftOf("reject"), return: draftOf("return") };
    this.find("#stage-word").textContent = STAGE_WORDS[this.data.stage] ?? this.data.stage;
    this.find("#submit").addEventListener("click", () => this.submit());
    this.find("#reopen").addEventListener("click", () => this.change("reopen", "Reopened: it can be changed again."));
    this.find("#reject").addEventListener("click", () => this.reject());
    this.find("#return").addEventListener("click", () => this.sendBack());
    this.find("#show-preview").addEventListener("click", () => this.preview());
    this.checks?.addEventListener("done", () => this.onChecked());
    this.draw();
    this.tellState();
  }

  get isOpen() {
    return OPEN.has(this.data.status) && !this.data.is_closed;
  }

  get isReview() {
    return this.data.stage === "review";
  }

  /** Everything that stands in the way of submitting: the book's faults, and questions without an answer that counts. */
  leftToDo(faults) {
    const { data, checks, editor } = this;
    const found = [...faults];
    if (this.adjudication) return [...this.adjudication.leftToDo(), ...found];
    if (!checks) return found;
    const isWanted = data.stage === "audit" ? (check) => Boolean(check) : (check) => Boolean(check?.answer);
    for (const item of editor.book.state.there) {
      if (item.start_s === null) continue;
      for (const { name, text } of checks.questions) {
        if (!isWanted(checks.standing(item, name))) found.push({ kind: "question", key: item.key, question: name, words: text });
      }
    }
    return found;
  }

  draw() {
    const { data, isOpen } = this;
    this.find("#submit").hidden = !isOpen || !data.can_edit;
    const end = this.isReview ? "Accept" : "Submit";
    this.find("#submit").firstChild.textContent = `${end} `;
    this.find("#preview-dialog [value=submit]").textContent = end;
    this.find("#reopen").hidden = data.is_closed || isOpen || data.status === "accepted";
    this.find("#go-on").hidden = isOpen;
    this.find("#reject").hidden = !isOpen || !data.can_edit || this.isReview || data.stage === "adjudicate";
    this.find("#return").hidden = !isOpen || !this.isReview || !data.can_edit;
    this.find("#show-preview").hidden = !isOpen || !["correct", "review"].includes(data.stage);
  }

  tellState() {
    const { data, notices } = this;
    if (data.is_closed) notices.show("state", "warning", "This round is closed: you can look, but no longer change anything.");
    else if (data.is_replaced) this.tellReplaced();
    else if (data.waits_for_author) notices.show("state", "warning", "Its author has it back and is changing it. It returns to you once it is submitted again.");
    else if (data.status === "returned") notices.show("state", "warning", `Returned to you: ${data.reason || "please look at it again."}`);
    else if (data.status === "rejected") notices.show("state", "success", "Rejected. Reopen it to go on with it.");
    else if (data.status === "accepted") notices.show("state", "success", "Accepted.");
    else if (data.status === "submitted") notices.show("state", "success", "Submitted. Reopen it to change something.");
    else if (data.has_locked_edges) notices.show("state", "warning", "The edges are given: choose a label for each segment.");
  }

  /** The steps of segments stay by their ids; one that is no longer there is a fault. */
  tellReplaced() {
    const { data, notices } = this;
    const words = "The recording was replaced by another version after you began. What you made stays readable; nothing is saved to it until you go on with the new one.";
    notices.show("state", "error", words, this.isOpen ? { text: "Go on with the new version", run: () => goOn({ outbox: this.outbox, notices }) } : null);
  }

  /** In an audit the first segment plays by itself as the next ones do, once there is something to play. */
  begin() {
    const { data, editor, checks } = this;
    const { video } = editor.playback;
    if (data.stage !== "audit" || !this.isOpen || !data.can_edit || !video || !editor.selected || checks.isAnswered(editor.selected)) return;
    const play = () => { if (!editor.playback.isPlaying) checks.play(); };
    if (video.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA) play();
    else video.addEventListener("canplay", play, { once: true });
  }

  /** In an audit the next segment without answers plays; at the end the button waits. */
  onChecked() {
    if (this.data.stage !== "audit") return;
    const { editor, checks } = this;
    const items = editor.book.state.there.filter((item) => item.start_s !== null);
    const at = items.findIndex(({ key }) => key === editor.selectedKey);
    const next = [...items.slice(at + 1), ...items.slice(0, at)].find((item) => !checks.isAnswered(item));
    if (!next) {
      editor.say("Every segment is answered: submit with S.", "");
      this.find("#submit").focus();
      return;
    }
    editor.select(next.key);
    checks.play();
  }

  /** What the segments were when the person began, so that badges can say what was changed. */
  async loadBaseline() {
    const { data, describing, editor } = this;
    const { durationS, rate } = editor.book.state;
    const from = (table) => new Segmentation(new Map(fromTable(table).map((item) => [item.key, item])), { durationS, rate });
    if (data.stage === "audit" || data.head < 1) return;
    try {
      const [first] = await call("GET", `${data.urls.history}?before=2`);
      if (!first || first.name !== "begin") return;
      const { segments } = await call("GET", `${data.urls.history}1/`);
      describing.baseline = from(segments);
      describing.setFaults(editor.book.faults());
    } catch {
      // Without it badges say nothing of changes; the work itself needs it for nothing.
    }
  }

  async submit() {
    const { editor, notices, data } = this;
    if (this.find("#submit").hidden) return;
    editor.settle();
    const left = this.leftToDo(editor.book.faults());
    if (left.length) {
      notices.clear("submit");
      this.view.goTo(left[0], `${left.length === 1 ? "1 thing is" : `${left.length} things are`} left; here is the first. `);
      return;
    }
    notices.clear("submit");
    if (["correct", "review"].includes(data.stage) && !await this.askPreview()) return;
    await this.end(this.isReview ? "accept" : "submit", this.isReview ? "Accepted. Thank you!" : "Submitted. Thank you!");
  }

  /** End the work once all of it is saved: what comes later would be refused. */
  async end(action, words, body, after) {
    const { notices, outbox } = this;
    await outbox.settle();
    await outbox.flush();
    if (outbox.pending.length) notices.show("submit", "warning", "Some changes are not saved yet. Try again once they are.");
    else await this.change(action, words, body, after);
  }

  preview() {
    this.askPreview().then((isSubmitting) => { if (isSubmitting) this.submit(); });
  }

  async askPreview() {
    const { editor, describing } = this;
    const items = [...new Map([...editor.book.state.there, ...this.deleted()].map((item) => [item.key, item])).values()]
      .sort((a, b) => (a.start_s ?? Infinity) - (b.start_s ?? Infinity));
    const counts = { changed: 0, inserted: 0, deleted: 0 };
    const cards = items.map((item) => {
      const words = describing.edits.get(item.key)?.words ?? [];
      if (words.includes("inserted")) counts.inserted += 1;
      else if (words.includes("deleted")) counts.deleted += 1;
      else if (words.length) counts.changed += 1;
      return this.card(item);
    });
    const summary = `${items.length} segments: ${counts.changed} changed, ${counts.inserted} inserted, ${counts.deleted} deleted.`;
    return askPreview(this.find("#preview-dialog"), { summary, cards });
  }

  deleted() {
    return [...this.describing.edits.values()].filter(({ words }) => words.includes("deleted")).map(({ before }) => ({ ...before, is_deleted: true }));
  }

  card(item) {
    const { describing } = this;
    const card = document.createElement("div");
    card.className = "card-row";
    const { number, text, badges, note } = describing.inList(item);
    const title = document.createElement("p");
    title.className = "card-title";
    title.textContent = `${number ?? "–"} ${text}, ${describing.timesAloud(item)}${note ? `: ${note}` : ""}`;
    const list = document.createElement("p");
    list.className = "badges";
    for (const { kind, words } of badges.length ? badges : [{ kind: "", words: "as it was" }]) {
      const badge = document.createElement("span");
      badge.className = `badge ${kind.replace("long", "")}`;
      badge.textContent = words;
      list.append(badge);
    }
    card.append(title, list);
    return card;
  }

  async reject() {
    const answer = await askReject(this.find("#reject-dialog"));
    if (answer) await this.end("reject", "Rejected. Thank you!", answer);
  }

  async sendBack() {
    const answer = await askReturn(this.find("#return-dialog"));
    if (answer) await this.end("return", "Returned to its author.", answer, { waits_for_author: true, can_edit: false });
  }

  async change(action, words, body, after = {}) {
    const { data, notices } = this;
    try {
      const { status } = await call("POST", data.urls[action], body);
      this.drafts[action]?.end();
      Object.assign(data, { status }, after);
      notices.clear("state");
      notices.show("submit", "success", words);
      if (action === "reopen") {
        // What is done to the page until then would go with it.
        window.location.reload();
        return;
      }
      this.editor.options.canEdit = data.can_edit && this.isOpen && data.stage !== "audit";
      this.draw();
      this.editor.changed();
      if (!this.isOpen) this.find("#go-on").focus();
    } catch (error) {
      notices.show("submit", "error", troubleWords(error));
    }
  }

  /** Another tab submitted it, or the round has been closed. */
  meetClosing(code) {
    const { data } = this;
    if (code === "closed") data.is_closed = true;
    else if (code === "submitted") data.status = "submitted";
    this.editor.options.canEdit = false;
    this.draw();
    this.editor.changed();
  }
}
