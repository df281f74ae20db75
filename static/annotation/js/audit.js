/** The audit page: puts the table, the players, the rubric and the saver together. */

import { Refused, call, troubleWords } from "./api.js";
import { openChangeStore } from "./change_store.js";
import { Clock } from "./clock.js";
import { Notices } from "./dialogs.js";
import { keepHabit, playsOnArrival } from "./habits.js";
import { Keys } from "./keys.js";
import { bindingsOf } from "./key_bindings.js";
import { RatingBook } from "./ratings.js";
import { Rehearsal } from "./rehearsal.js";
import { bindRemarks, showRemarks } from "./remarks.js";
import { RubricCard, eventOf } from "./rubric.js";
import { Saver } from "./saver.js";
import { bringIntoView } from "./scrolling.js";
import { showSaving } from "./saving.js";
import { StepTable } from "./table.js";
import { Viewing } from "./viewing.js";
import { watch } from "./watching.js";

const data = JSON.parse(document.querySelector("#audit-data").textContent);
const clock = new Clock(data.now);
const order = [...data.events.map((event) => event.index), null];
const names = new Map([...data.events.map((event) => [event.index, event.name]), [null, "Whole trace"]]);
const nameOf = (event) => names.get(event);
const find = (selector) => document.querySelector(selector);

const book = new RatingBook(data);
// What was answered on this page: {event, metric, before}, the latest last.
const given = [];
// Opening the page is no arrival at an event: browsers refuse to play before anything was pressed.
let hasArrived = false;
const notices = new Notices(find("#notices"));
const table = new StepTable(find("#steps"));
const texts = eventTexts();
const card = new RubricCard({ root: find("#rubric"), book, guideline: data.guideline, eventTexts: texts });
const players = watch({ data, table, currentEvent: () => card.event });
const viewing = players && !data.is_preview && new Viewing({
  players,
  store: await openChangeStore(`${data.account}:${data.assignment}:viewing`),
  url: data.urls.viewing,
  page: { opened: data.opened, content: data.content },
  watched: data.watched,
  clock,
});
const saver = data.is_preview ? new Rehearsal() : new Saver({
  urls: data.urls,
  store: await openChangeStore(`${data.account}:${data.assignment}`),
  book, content: data.content, describe, viewing, clock,
});

function eventTexts() {
  const texts = new Map();
  for (const { index, name, kind, text } of data.events) texts.set(index, { name, subject: kind, text });
  return texts.set(null, { name: "Whole trace", subject: "trace", text: "One answer for all steps together." });
}

/** What the rater answered, for reading and copying. */
function describe({ event, metric, ...answer }) {
  const { name, text } = texts.get(event);
  return `${name} (${text}), ${book.titleOf(metric)}: ${book.words(metric, answer)}`;
}

/** Show an event: its questions, its first row, its moment in both recordings. */
function showEvent(event, { withRow = true, withPlayers = withRow } = {}) {
  saver.sendDrafts();
  const { name, text } = texts.get(event);
  // Read aloud, because the questions of all events are called the same.
  if (event !== card.event) find("#rate-news").textContent = `${name}. ${text}`;
  card.show(event);
  showRemarks({ root: document, book, saver, event, isEditable: card.isEditable });
  bringIntoView(find("#rubric .events"), find(`[data-event="${event ?? ""}"]`), { isRow: true });
  const row = event === null ? -1 : table.firstRowOf(event);
  if (withRow && row >= 0) table.mark(row);
  if (withPlayers && row >= 0) {
    players?.seek(row, data.rows[row]);
    if (hasArrived && playsOnArrival()) players?.play();
  }
  drawWatched();
  if (players?.loopSpans) players.setLoop(null);
}

/** Say it quietly where nothing was seen of what a question about the video is about. */
function drawWatched() {
  const row = card.event === null ? -1 : table.firstRowOf(card.event);
  const span = card.event === null ? [0, data.durations.trace] : data.rows[row]?.trace;
  const isUnwatched = Boolean(viewing) && !viewing.hasSeen("trace", span);
  for (const note of document.querySelectorAll("[data-unwatched]")) note.hidden = !isUnwatched;
}

function moveEvent(step) {
  const event = order[order.indexOf(card.event) + step];
  if (event === undefined) return;
  showEvent(event);
  card.enter();
}

/** Go to the next open question: of this event, then of those behind it, then of those before. */
function goOn() {
  if (!card.firstOpenStop()) {
    const at = order.indexOf(card.event);
    const event = [...order.slice(at + 1), ...order.slice(0, at)].find(isUnfinished);
    // At the end no question keeps the focus, so that one digit too many changes nothing.
    if (event === undefined) return find("#rubric [data-questions]").focus({ preventScroll: true });
    showEvent(event);
  }
  card.enter();
}

function isUnfinished(event) {
  const { answered, total } = book.countOf(event);
  return answered < total;
}

/** Behind the last question of an event come those of the next, before the first those before. */
function moveQuestion(step) {
  if (!card.isEditable) return false;
  if (card.move(step)) return true;
  const event = order[order.indexOf(card.event) + step];
  if (event === undefined || !book.countOf(event).total) return true;
  showEvent(event);
  if (step > 0) card.enter();
  else if (card.stops().length) card.focusStop(card.stops().at(-1));
  return true;
}

/** The guideline in a window of its own, at the question with the focus; the link does so without. */
function openGuideline() {
  const link = find("#guideline");
  if (!link) return;
  const metric = card.questionAtHand()?.dataset.metric;
  link.hash = metric ?? "";
  link.click();
}

function drawProgress() {
  const count = book.missing().length;
  const isOpen = data.status === "open" && !data.is_closed;
  const missing = find("#missing");
  missing.textContent = !isOpen ? "" : count ? `${count} missing` : "complete";
  find("#submit").hidden = !isOpen;
  find("#skip").hidden = !isOpen || Boolean(data.is_preview);
  find("#reopen").hidden = data.is_closed || data.status === "open" || Boolean(data.is_training);
  find("#go-on").hidden = data.status === "open";
  if (card.isEditable !== isOpen) card.setEditable(isOpen);
}

function drawRatings() {
  card.draw();
  showRemarks({ root: document, book, saver, event: card.event, isEditable: card.isEditable });
  drawProgress();
}

function goToMissing([first]) {
  if (!first) return;
  if (first.event !== card.event) showEvent(first.event, { withPlayers: false });
  card.focusMetric(first.metric);
}

async function submit() {
  if (find("#submit").hidden) return;
  const missing = book.missing();
  if (missing.length) {
    notices.show("submit", "warning", `${missing.length === 1 ? "1 answer is" : `${missing.length} answers are`} missing; here is the first.`);
    goToMissing(missing);
    return;
  }
  await saver.sendDrafts();
  await saver.flush();
  if (saver.pending.length) {
    notices.show("submit", "warning", "Not submitted: some answers are not saved yet. Submit again once they are.");
    return;
  }
  await changeStatus("submit", "Submitted. Thank you!");
}

/** Leave the trace for later: it comes again after all others. */
async function skip() {
  await saver.sendDrafts();
  await saver.flush();
  try {
    await call("POST", data.urls.skip);
    window.location.assign(`${data.urls.next}?skipped=${data.assignment}`);
  } catch (error) {
    notices.show("submit", "error", troubleWords(error));
  }
}

async function changeStatus(action, words) {
  try {
    const { status } = await call("POST", data.urls[action]);
    data.status = status;
    notices.show("submit", "success", words);
    drawProgress();
    // The button that was pressed is gone, and the focus with it.
    if (status === "open") {
      card.enter();
      saver.retryNow();
    } else {
      find("#go-on").focus();
    }
  } catch (error) {
    notices.show("submit", "error", troubleWords(error));
    if (error instanceof Refused && error.body.missing) goToMissing(error.body.missing);
  }
}

/** Another tab submitted the trace, or the round has been closed. */
function meetClosing(code) {
  if (code === "closed") data.is_closed = true;
  else if (code === "submitted") data.status = "submitted";
  drawProgress();
}

function answer({ event, metric, value, confidence = null, cannot_judge = null }) {
  const baseRevision = book.get(event, metric).revision;
  book.type(event, metric, value, confidence, cannot_judge);
  saver.add({ event, metric, value, confidence, cannot_judge, baseRevision });
}

/** Make the answers to an event what they were before the last one: changes like any other. */
function undo() {
  if (!card.isEditable) return;
  const last = given.pop();
  const news = find("#rate-news");
  if (!last) {
    news.textContent = "Nothing has been answered since the page was opened.";
    return;
  }
  const { event, metric, before } = last;
  for (const change of book.changesBackTo(event, before, metric)) answer(change);
  drawRatings();
  if (event !== card.event) showEvent(event);
  card.focusMetric(metric);
  news.textContent = `Taken back: ${texts.get(event).name}, ${book.definitions.get(metric).title}`;
}

card.addEventListener("answer", ({ detail }) => {
  given.push({ event: card.event, metric: detail.metric, before: book.answersOf(card.event) });
  answer({ event: card.event, ...detail });
  notices.clear("submit");
  drawRatings();
});
card.addEventListener("pressed", goOn);
bindRemarks({ root: document, book, saver, currentEvent: () => card.event, onChange: drawRatings, onLeave: () => card.enter() });
players?.addEventListener("without", ({ detail: { side, problem } }) => {
  const kind = `broken_${side}`;
  if (!book.get(null, kind).value) answer({ event: null, metric: kind, value: problem });
  if (side === "trace") answer({ event: null, metric: "without_video", value: "yes" });
  drawRatings();
  card.enter();
});
find("#with-video").addEventListener("click", () => {
  answer({ event: null, metric: "without_video", value: null });
  drawRatings();
  card.enter();
});
find("#skip").addEventListener("click", skip);
find("#report-video")?.addEventListener("click", () => find("#video-dialog").showModal());
table.addEventListener("choose", ({ detail: { row } }) => {
  const { event } = data.rows[row];
  if (event !== null && event !== card.event) showEvent(event, { withRow: false });
  players?.seek(row, data.rows[row]);
});
card.chips.forEach((chip) => chip.addEventListener("click", () => {
  showEvent(eventOf(chip));
  card.enter();
}));
find("#previous-event").addEventListener("click", () => moveEvent(-1));
find("#next-event").addEventListener("click", () => moveEvent(1));
find("#missing").addEventListener("click", () => goToMissing(book.missing()));
find("#submit").addEventListener("click", submit);
const arrival = find("[data-arrival]");
if (arrival) {
  arrival.checked = playsOnArrival();
  arrival.addEventListener("change", () => keepHabit("playsOnArrival", arrival.checked));
}
find("#reopen").addEventListener("click", () => changeStatus("reopen", "Reopened: your answers can be changed again."));

showSaving({ saver, book, notices, nameOf, onRatings: drawRatings, onStatus: meetClosing });
for (const { event, metric, value, confidence, cannot_judge } of await saver.start()) book.type(event, metric, value, confidence, cannot_judge);
// Until now an answer would have been to no event, and a comment would have gone with the one that was kept.
find("#rubric").inert = false;
const keys = new Keys(bindingsOf({ card, players, data, moveQuestion, moveEvent, undo, submit, comment: () => find("#comment").focus(), guideline: openGuideline }));
keys.fill(find("#keys-list"));
find("#show-keys").addEventListener("click", () => find("#keys-dialog").showModal());
drawProgress();
showEvent(data.first_event ?? order.find(isUnfinished) ?? order[0]);
if (card.isEditable) card.enter();
if (data.is_closed) notices.show("submit", "warning", "This round is closed: you can read your answers but no longer change them.");
else if (data.status !== "open") notices.show("submit", "success", "Submitted. Reopen the trace to change an answer.");
hasArrived = true;
players?.addEventListener("change", drawWatched);
document.documentElement.dataset.ready = "true";
