/** A case of the disagreement desk: both videos at the event, the discussion, the decision. */

import { LoginExpired, Refused, call } from "./api.js";
import { Notices } from "./dialogs.js";
import { Draft } from "./draft.js";
import { watchingBindings } from "./key_bindings.js";
import { Keys } from "./keys.js";
import { StepTable } from "./table.js";
import { shownTime } from "./timeline.js";
import { watch } from "./watching.js";

const DIGITS = ["1", "2", "3", "4", "5"];
const SIDE_NAMES = Object.freeze({ reference: "Reference", trace: "Trace" });
const WHEN = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" });
const LOGIN_WORDS = "Your login has expired. What you wrote is kept here: log in in another tab, then send it again.";

const find = (selector) => document.querySelector(selector);
const data = JSON.parse(find("#case-data").textContent);
const notices = new Notices(find("#notices"));
const table = new StepTable(find("#steps"));
const players = watch({ data, table, currentEvent: () => data.event });
const comment = find("#comment");
const decision = find("#decision-form");

let isDeciding = false;
const draft = new Draft(`piev:case:${data.account}:${data.case}`, { client_key: null, text: "", mark: null, decision: null });

function drawComments(comments) {
  find("#comments").replaceChildren(...comments.map(commentItem));
}

function commentItem({ author, is_own, text, side, time_s, written_at }) {
  const item = document.createElement("li");
  item.classList.toggle("own", is_own);
  const name = document.createElement("b");
  name.textContent = author;
  const when = document.createElement("time");
  when.className = "small";
  when.dateTime = written_at;
  when.textContent = `${WHEN.format(new Date(written_at))} UTC`;
  const words = document.createElement("p");
  words.textContent = text;
  item.append(name, is_own ? " (you) " : " ", when);
  if (side) item.append(" ", markButton(side, time_s));
  item.append(words);
  return item;
}

function markButton(side, time) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "link";
  button.textContent = markWords(side, time);
  button.title = "Show this moment in both videos";
  button.addEventListener("click", () => players?.seekSide(side, time));
  return button;
}

function markWords(side, time) {
  return `${SIDE_NAMES[side]} at ${shownTime(time)}`;
}

function drawMark() {
  const { mark } = draft.values;
  find("#mark").hidden = !mark;
  if (mark) find("#mark [data-words]").textContent = markWords(mark.side, mark.time_s);
}

/** Note where a side stands now; the comment that is being written is about this moment. */
function setMark(side) {
  const recording = players?.sides.get(side);
  // The answer to a comment that is on its way takes its moment off.
  if (!recording || comment.readOnly) return;
  players.pause();
  const time = Math.min(recording.time, players.durations[side]);
  draft.keep({ mark: { side, time_s: Math.max(0, Math.round(time * 1000) / 1000) } });
  drawMark();
  comment.focus();
}

/** Send something; what was typed stays where it is unless the server has taken it. */
async function send(url, body) {
  try {
    const answer = await call("POST", url, body);
    notices.clear("send");
    return answer;
  } catch (error) {
    notices.show("send", "error", wordsOf(error));
    return null;
  }
}

function wordsOf(error) {
  if (error instanceof LoginExpired) return LOGIN_WORDS;
  if (!(error instanceof Refused)) return "The server cannot be reached. What you wrote is kept here: send it again in a moment.";
  if (error.status === 404) return "You cannot see this case any more. What you wrote is kept here.";
  const faults = Object.values(error.body).flat().filter((words) => typeof words === "string");
  return faults.join(" ") || error.message;
}

async function sendComment() {
  const { text, mark } = draft.values;
  if (!text.trim()) {
    comment.focus();
    return;
  }
  // It is on its way: its answer would empty the field a second time, of what is typed by then.
  if (comment.readOnly) return;
  // What is sent again, also after a reload, is known by its key.
  const client_key = draft.values.client_key ?? crypto.randomUUID();
  draft.keep({ client_key });
  // What was typed meanwhile would go with what was sent.
  comment.readOnly = true;
  const answer = await send(data.urls.comments, { client_key, text, ...mark });
  comment.readOnly = false;
  if (!answer) return;
  draft.keep({ client_key: null, text: "", mark: null });
  comment.value = "";
  drawMark();
  drawComments(answer.comments);
  if (answer.state === "discussed") find("#desk h2 .tag").textContent = "Discussed";
  find("#comments").lastElementChild.scrollIntoView({ block: "nearest" });
}

function decided() {
  return {
    cause: decision.querySelector("[name=cause]:checked")?.value ?? "",
    value: decision.querySelector("#value")?.value ?? "",
    reason: decision.querySelector("#reason").value,
  };
}

async function decide() {
  if (isDeciding || !decision.reportValidity()) return;
  isDeciding = true;
  const sent = decided();
  const answer = await send(data.urls.decision, sent);
  isDeciding = false;
  if (!answer) return;
  // What was changed meanwhile stands there again when the page has come anew.
  if (Object.entries(decided()).every(([name, value]) => value === sent[name])) draft.keep({ decision: null });
  window.location.reload();
}

function goToDecision() {
  decision.closest("details")?.setAttribute("open", "");
  (decision.querySelector("[name=cause]:checked") ?? decision.querySelector("[name=cause]")).focus();
}

function chooseCause(number) {
  const causes = decision.querySelectorAll("[name=cause]");
  const chosen = causes[number - 1];
  if (!chosen) return;
  goToDecision();
  chosen.checked = true;
  chosen.focus();
  draft.keep({ decision: decided() });
}

function takeUpDraft() {
  comment.value = draft.values.text;
  drawMark();
  const kept = draft.values.decision;
  if (!decision || !kept) return;
  for (const input of decision.querySelectorAll("[name=cause]")) input.checked = input.value === kept.cause;
  const value = decision.querySelector("#value");
  if (value) value.value = kept.value;
  decision.querySelector("#reason").value = kept.reason;
  decision.closest("details")?.setAttribute("open", "");
}

/** Ctrl+Enter sends what the field is part of, Esc leaves the field. */
function bindFields(form, run) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    run();
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.ctrlKey) {
      event.preventDefault();
      run();
    } else if (event.key === "Escape") {
      find("[data-scroll]").focus({ preventScroll: true });
    }
  });
}

comment.addEventListener("input", () => draft.keep({ text: comment.value.toWellFormed?.() ?? comment.value }));
bindFields(find("#comment-form"), sendComment);
document.querySelectorAll("[data-mark]").forEach((button) => {
  button.addEventListener("click", () => setMark(button.dataset.mark));
});
find("[data-unmark]").addEventListener("click", () => {
  draft.keep({ mark: null });
  drawMark();
  comment.focus();
});
if (decision) {
  bindFields(decision, decide);
  decision.addEventListener("input", () => draft.keep({ decision: decided() }));
}
table.addEventListener("choose", ({ detail: { row } }) => players?.seek(row, data.rows[row]));

const deciding = decision ? [
  { keys: ["d", "D"], shown: ["D"], text: "Decide: go to the causes", run: () => goToDecision() },
  { keys: DIGITS, shown: ["1", "–", "5"], text: "Choose a cause", run: (event) => chooseCause(Number(event.key)) },
  { keys: ["g", "G"], shown: ["G"], text: "Change the guideline from this case", run: () => find("#guideline-form")?.requestSubmit() },
] : [];
const follow = (selector) => () => find(selector)?.click();
const keys = new Keys([
  { keys: ["n", "N"], shown: ["N"], text: "Next case", run: follow("#next-case") },
  { keys: ["p", "P"], shown: ["P"], text: "Previous case", run: follow("#previous-case") },
  { keys: ["c", "C"], shown: ["C"], text: "Comment; Esc goes back, Ctrl+Enter sends it", run: () => comment.focus() },
  { keys: ["t"], shown: ["T"], text: "Mark this moment of the trace in a comment", run: () => setMark(players?.sides.has("trace") ? "trace" : "reference") },
  { keys: ["T"], shown: ["Shift+T"], text: "Mark this moment of the reference", run: () => setMark("reference") },
  ...deciding,
  ...(players ? watchingBindings({ players, data, currentEvent: () => data.event }) : []),
]);
keys.fill(find("#keys-list"));
find("#show-keys").addEventListener("click", () => find("#keys-dialog").showModal());

drawComments(data.comments);
takeUpDraft();
// What was typed before would have gone with what was kept.
for (const form of [find("#comment-form"), decision]) if (form) form.inert = false;
const row = data.event === null ? -1 : table.firstRowOf(data.event);
if (row >= 0) {
  table.mark(row);
  players?.seek(row, data.rows[row]);
}
document.documentElement.dataset.ready = "true";
