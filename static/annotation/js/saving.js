/** Shows the state of saving, and opens the dialog that a state asks for. */

import { ConflictDialog, LoginDialog, ReplacedDialog } from "./dialogs.js";
import { State } from "./outbox.js";

const WORDS = {
  [State.SAVED]: () => "All changes saved",
  [State.SAVING]: () => "Saving",
  [State.OFFLINE]: (count) => `Offline: ${changes(count)} kept here, sent later`,
  [State.LOGIN]: (count) => `Login expired: ${changes(count)} kept here`,
  [State.CONFLICT]: () => "Rated differently elsewhere",
  [State.CLOSED]: (count) => `Not open: ${changes(count)} not saved`,
  [State.REPLACED]: (count) => `Trace replaced: ${changes(count)} kept here, not saved`,
  [State.FOREIGN]: () => "Not this account's trace",
  [State.PREVIEW]: () => "Preview: nothing is saved",
};

function changes(count) {
  return count === 1 ? "1 change" : `${count} changes`;
}

export function showSaving({ saver, book, notices, nameOf, onRatings, onStatus }) {
  const status = document.querySelector("#save-state");
  const login = new LoginDialog(document.querySelector("#login-dialog"), {
    onContinue: () => saver.retryNow(),
    onDismiss: () => notices.show("login", "warning", "Your login has expired. You can go on: answers are kept here until you log in.", {
      text: "Log in", run: () => login.open(saver.pending.length),
    }),
  });
  const conflict = new ConflictDialog(document.querySelector("#conflict-dialog"), {
    book,
    nameOf,
    onChoose: (keeps) => saver.resolve(keeps).then(onRatings),
  });
  // Escape would leave the page unable to save with nothing to say why.
  document.querySelector("#conflict-dialog").addEventListener("cancel", (event) => event.preventDefault());

  const replaced = new ReplacedDialog(document.querySelector("#replaced-dialog"), {
    saver,
    onDiscarded: () => notices.clear("replaced"),
  });
  const showReplaced = () => replaced.open();
  saver.addEventListener("replaced", () => {
    notices.show("replaced", "warning", "Answers to an earlier version of this trace are kept in this browser, not saved.", {
      text: "Show them", run: showReplaced,
    });
  });

  // Read aloud is what goes wrong and that it is well again, not every single save.
  const news = document.querySelector("#save-news");
  let isWell = true;
  saver.addEventListener("state", ({ detail: { isNew } }) => {
    const words = WORDS[saver.state](saver.pending.length);
    if (status.textContent !== words) status.textContent = words;
    status.dataset.state = saver.state;
    if (!isNew) return;
    if (saver.state === State.SAVED ? !isWell : saver.state !== State.SAVING) news.textContent = words;
    if (saver.state !== State.SAVING) isWell = saver.state === State.SAVED;
    if (saver.state === State.LOGIN) login.open(saver.pending.length);
    else if (saver.state !== State.SAVING) login.close();
    if (saver.state === State.CONFLICT) conflict.open(saver.conflicts);
    if (saver.state === State.REPLACED) {
      notices.show("replaced", "error", "Not saved: this trace has been replaced by another version since you opened it.", {
        text: "Show my answers", run: showReplaced,
      });
      showReplaced();
    }
    if (saver.state === State.CLOSED) {
      // What was answered stays in this browser until the text is accepted.
      const way = saver.refusal.code === "consent"
        ? { text: "Read it", run: () => window.location.reload() }
        : { text: "Discard", run: () => saver.discard().then(() => window.location.reload()) };
      notices.show("closed", "error", `Not saved: ${saver.refusal.detail}.`, way);
      onStatus(saver.refusal.code);
    }
    if (saver.state === State.FOREIGN) {
      notices.show("foreign", "error",
        "This trace belongs to another account than the one logged in now. Log in to yours again: your changes are kept here.");
    }
    if (saver.state === State.SAVED) ["closed", "foreign", "login"].forEach((name) => notices.clear(name));
  });
  saver.addEventListener("ratings", onRatings);
  saver.addEventListener("refused", ({ detail }) => {
    const title = book.titleOf(detail.change.metric);
    notices.show("refused", "error", `The answer to ${title} was not accepted: ${detail.reason}. Reload the page to see what is saved.`);
  });
  saver.addEventListener("storefailed", () => {
    notices.show("store", "warning", "This browser cannot store unsaved changes: stay on this page until all changes are saved.");
  });
}
