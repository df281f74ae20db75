/** Saves what is done on the page, and shows the state of saving with the dialog that it asks for. */

import { troubleWords } from "../../annotation/js/api.js";
import { openChangeStore, openUndoStore } from "../../annotation/js/change_store.js";
import { LoginDialog, ReplacedDialog } from "../../annotation/js/dialogs.js";
import { State } from "../../annotation/js/outbox.js";
import { Viewing } from "../../annotation/js/viewing.js";
import { createBook } from "./book.js";
import { SegmentConflictDialog } from "./conflict_dialog.js";
import { createSegmentOutbox } from "./outbox.js";
import { SIDE } from "./playback.js";
import { createUndo, tabName } from "./undo.js";

const WORDS = Object.freeze({
  [State.SAVED]: () => "All changes saved",
  [State.SAVING]: () => "Saving",
  [State.OFFLINE]: (count) => `Offline: ${count} kept here, sent later`,
  [State.LOGIN]: (count) => `Login expired: ${count} kept here`,
  [State.CONFLICT]: () => "Changed in another tab",
  [State.CLOSED]: (count) => `Not open: ${count} not saved`,
  [State.REPLACED]: (count) => `Recording replaced: ${count} kept here, not saved`,
  [State.FOREIGN]: () => "Not this account's recording",
});

function counted({ length }) {
  return length === 1 ? "1 change" : `${length} changes`;
}

/** Open what the page works with: {book, undoing, outbox, viewing}; the outbox still has to start. */
export async function openSaving({ data, clock, playback, onWatched }) {
  const scope = `${data.account}:${data.id}`;
  // The disk is asked for all three at once, and read while the segments are.
  const undoStore = tabName().then((tab) => openUndoStore(`${scope}:${tab}`));
  const changeStore = openChangeStore(`${scope}:segments`);
  const isWatching = playback.players && data.can_edit;
  const view = isWatching ? openViewing({ data, clock, playback, scope, onWatched }) : null;
  const book = createBook(data);
  const undoing = await createUndo(book, await undoStore);
  const viewing = await view;
  const outbox = createSegmentOutbox(data, book, { store: await changeStore, clock, viewing });
  return { book, undoing, outbox, viewing };
}

async function openViewing({ data, clock, playback, scope, onWatched }) {
  playback.players.strips.set(SIDE, { drawWatched: onWatched });
  return new Viewing({
    players: playback.players,
    store: await openChangeStore(`${scope}:viewing`),
    url: data.urls.viewing,
    page: { opened: data.opened, content: data.content },
    watched: data.watched.length ? { [SIDE]: data.watched } : null,
    clock,
  });
}

/** Show the state of saving; `wordsOf(segment)` tells one of two between which a person chooses. */
export function showSaving({ outbox, notices, wordsOf, onStatus }) {
  const find = (selector) => document.querySelector(selector);
  const status = find("#save-state");
  const login = new LoginDialog(find("#login-dialog"), {
    onContinue: () => outbox.retryNow(),
    onDismiss: () => notices.show("login", "warning", "Your login has expired. You can go on: changes are kept here until you log in.", {
      text: "Log in", run: () => login.open(outbox.pending.length),
    }),
  });
  const replaced = new ReplacedDialog(find("#replaced-dialog"), {
    saver: outbox, onDiscarded: () => notices.clear("replaced"), goOn: () => goOn({ outbox, notices }),
  });
  const conflict = new SegmentConflictDialog(find("#conflict-dialog"), { outbox, wordsOf });
  outbox.addEventListener("replaced", () => {
    notices.show("replaced", "warning", "Changes to an earlier version of this recording are kept in this browser, not saved.", {
      text: "Show them", run: () => replaced.open(),
    });
  });

  const whenReleased = releases();
  const open = (state, run) => whenReleased(() => { if (outbox.state === state) run(); });

  // Read aloud is what goes wrong and that it is well again, not every single save.
  const news = find("#save-news");
  let isWell = true;
  outbox.addEventListener("state", ({ detail: { isNew } }) => {
    const words = WORDS[outbox.state](counted(outbox.pending));
    if (status.textContent !== words) status.textContent = words;
    status.dataset.state = outbox.state;
    if (!isNew) return;
    if (outbox.state === State.SAVED ? !isWell : outbox.state !== State.SAVING) news.textContent = words;
    if (outbox.state !== State.SAVING) isWell = outbox.state === State.SAVED;
    if (outbox.state === State.LOGIN) open(State.LOGIN, () => login.open(outbox.pending.length));
    else if (outbox.state !== State.SAVING) login.close();
    if (outbox.state === State.CONFLICT) open(State.CONFLICT, () => conflict.open());
    if (outbox.state === State.REPLACED) {
      notices.show("replaced", "error", "Not saved: this recording has been replaced by another version since you began.", {
        text: "Show my changes", run: () => replaced.open(),
      });
      open(State.REPLACED, () => replaced.open());
    }
    if (outbox.state === State.CLOSED) {
      showClosed({ outbox, notices });
      onStatus(outbox.refusal.code);
    }
    if (outbox.state === State.FOREIGN) {
      notices.show("foreign", "error", "This recording belongs to another account than the one logged in now. Log in to yours again: your changes are kept here.");
    }
    if (outbox.state === State.SAVED) ["closed", "foreign", "login"].forEach((name) => notices.clear(name));
  });
  outbox.addEventListener("refused", ({ detail: { change, reason } }) => {
    notices.show("refused", "error", `“${change.words}” was not accepted: ${reason}. Reload the page to see what is saved.`);
  });
  outbox.addEventListener("storefailed", () => {
    notices.show("store", "warning", "This browser cannot store unsaved changes: stay on this page until all changes are saved.");
  });
}

/** Tells what runs something now, or when the button of the mouse comes up: a dialog would tear a drag. */
function releases() {
  let isHeld = false;
  const waiting = [];
  const note = ({ type }) => {
    isHeld = type === "pointerdown";
    // The drag ends first.
    if (!isHeld) setTimeout(() => waiting.splice(0).forEach((run) => run()));
  };
  for (const type of ["pointerdown", "pointerup", "pointercancel"]) document.addEventListener(type, note, { capture: true });
  return (run) => { if (isHeld) waiting.push(run); else run(); };
}

/** What cannot be saved stays in this browser until it is given up; before that it can be kept as a file. */
function showClosed({ outbox, notices }) {
  const { code, detail } = outbox.refusal;
  const words = `Not saved: ${detail}.`;
  if (code === "consent") {
    notices.show("closed", "error", words, { text: "Read it", run: () => window.location.reload() });
    return;
  }
  const discard = { text: "Discard what is not saved", run: () => outbox.discard().then(() => window.location.reload()) };
  const keep = () => {
    saveAsFile(outbox);
    notices.show("closed", "error", `${words} The file has all of it.`, discard);
  };
  notices.show("closed", "error", words, { text: "Save my work as a file", run: keep });
}

/** Take the segments along to the version that the recording has now. */
export async function goOn({ outbox, notices }) {
  try {
    await outbox.carryOver();
    window.location.reload();
  } catch (error) {
    notices.show("replaced", "error", troubleWords(error));
  }
}

function saveAsFile(outbox) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([outbox.asFile()], { type: "application/json" }));
  link.download = "segments.json";
  link.click();
  URL.revokeObjectURL(link.href);
}
