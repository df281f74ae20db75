/** Undoes and redoes gestures, the latest first, across reloads.
 *
 *   const undo = await createUndo(book, await openUndoStore(`${account}:${id}:${await tabName()}`))
 *   undo.undo(), undo.redo()            {words, keys, isDone}: what to tell the person, which segments to show
 *   undo.next, undo.nextAgain           names of what they would do, or null
 *   undo.addEventListener("change", …)  one of these names has changed
 *
 * An undo is a gesture of its own, "undo of split", which is sent and logged like any other. It is
 * refused where another tab has changed the segments since. Such a gesture leaves the stack, so that
 * the one before it can be undone.
 */

import { recall, remember } from "../../annotation/js/tab_memory.js";
import { ConflictError, GestureError, inverse, keysOf } from "./model.js";

const DEPTH = 500;
const LET_GO_MS = 500;

export async function createUndo(book, store) {
  const stack = new UndoStack(book, store);
  await stack.start();
  return stack;
}

class UndoStack extends EventTarget {
  constructor(book, store) {
    super();
    this.book = book;
    this.store = store;
    this.order = Date.now() * 1000;
    // [{id, order, side, gesture}], the latest last; `gesture` is what was done last, be it an undo.
    this.done = [];
    this.undone = [];
    book.on("gesture", (entry) => this.note(entry));
  }

  async start() {
    const kept = await this.store.all();
    this.done = kept.filter(({ side }) => side === "done");
    this.undone = kept.filter(({ side }) => side === "undone");
  }

  get next() {
    return this.done.at(-1)?.gesture.name ?? null;
  }

  get nextAgain() {
    const last = this.undone.at(-1);
    return last ? inverse(last.gesture).name : null;
  }

  note({ gesture, how }) {
    if (how === "own") this.forget(this.undone.splice(0));
    this.order += 1;
    const entry = { id: crypto.randomUUID(), order: this.order, side: how === "undo" ? "undone" : "done", gesture };
    const side = how === "undo" ? this.undone : this.done;
    side.push(entry);
    this.forget(side.splice(0, side.length - DEPTH));
    this.store.put([entry]).catch(() => {});
    this.dispatchEvent(new Event("change"));
  }

  forget(entries) {
    if (entries.length) this.store.remove(entries).catch(() => {});
  }

  undo() {
    this.book.settle();
    return this.takeFrom(this.done, "undo");
  }

  redo() {
    this.book.settle();
    return this.takeFrom(this.undone, "redo");
  }

  takeFrom(side, how) {
    const entry = side.pop();
    if (!entry) return { isDone: false, keys: [], words: `There is nothing to ${how}.` };
    const back = inverse(entry.gesture);
    const name = how === "undo" ? entry.gesture.name : back.name;
    const keys = keysOf(back);
    try {
      this.book.do(back, how);
      this.forget([entry]);
      return { isDone: true, keys, words: how === "undo" ? `Undone: ${name}.` : `Done again: ${name}.` };
    } catch (error) {
      if (error instanceof ConflictError) {
        this.forget([entry]);
        return { isDone: false, keys, words: `Not ${how === "undo" ? "undone" : "done again"}: ${name}. The segment has been changed elsewhere since.` };
      }
      side.push(entry);
      if (!(error instanceof GestureError)) throw error;
      return { isDone: false, keys, words: error.words };
    } finally {
      this.dispatchEvent(new Event("change"));
    }
  }
}

/** A name for this tab that a reload keeps, and that no other tab has.
 *
 * A tab that is opened as a copy of another has that one's name at first, and takes a new one.
 */
export async function tabName() {
  const name = recall("piev:tab") ?? crypto.randomUUID();
  const own = await isFree(name) ? name : crypto.randomUUID();
  if (own !== name) await isFree(own);
  remember("piev:tab", own);
  return own;
}

/** Whether no other tab holds a name; it is held from now on until the page is left. */
function isFree(name) {
  // Browsers have locks for pages over https only.
  if (!navigator.locks) return Promise.resolve(true);
  return new Promise((resolve) => {
    const hold = () => { resolve(true); return new Promise(() => {}); };
    // The page before a reload may hold its lock a moment longer; a copied tab holds it for good, and
    // the page waits here before it opens, so the limit is short.
    navigator.locks.request(`piev:tab:${name}`, { signal: AbortSignal.timeout(LET_GO_MS) }, hold)
      .catch(({ name: kind }) => resolve(!["AbortError", "TimeoutError"].includes(kind)));
  });
}
