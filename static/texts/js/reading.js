/** The page of one text: the clip loops, keys choose, and what is typed outlives the page. */

import { Draft } from "../../annotation/js/draft.js";
import { recall, remember } from "../../annotation/js/tab_memory.js";

const clip = document.querySelector("#clip");
const form = document.querySelector("#verdict");
const blind = document.querySelector("#blind");
const next = document.querySelector("a[data-next]");
const guideline = document.querySelector("details.guideline");
const SECOND_MS = 1_000;
const SENT = "text-sent";
// A moment without a margin would play nothing.
const SHORTEST_S = 0.5;
const NO_REASON = "Choose at least one reason.";

const isTyping = (target) => target.matches("textarea, select, input:not([type=radio], [type=checkbox])");

/** From when to when the clip loops, in s; the whole recording where no stretch is given. */
function stretch() {
  const { from, to, margin } = clip.dataset;
  if (to === undefined) return [0, Infinity];
  const begin = Math.max(0, from - margin);
  return [begin, Math.max(begin + SHORTEST_S, Number(to) + Number(margin))];
}

function replay() {
  [clip.currentTime] = stretch();
  clip.play().catch(() => {});
}

function startClip() {
  clip.addEventListener("timeupdate", () => {
    if (!clip.paused && clip.currentTime >= stretch()[1]) replay();
  });
  clip.addEventListener("ended", replay);
  if (clip.readyState) replay();
  else clip.addEventListener("loadedmetadata", replay, { once: true });
}

/** Shows so many seconds more, or less, on both sides of the stretch. */
function widen(by_s) {
  if (!("margin" in clip.dataset)) return;
  clip.dataset.margin = Math.max(0, Number(clip.dataset.margin) + by_s);
  replay();
}

/** How long the page is in sight, in s. */
function startClock(field) {
  let total = 0;
  let since = performance.now();
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) total += performance.now() - since;
    since = performance.now();
  });
  form.addEventListener("submit", () => {
    field.value = ((total + performance.now() - since) / SECOND_MS).toFixed(1);
  });
}

/** A verdict that asks why needs one reason at least. */
function requireReason() {
  const reasons = form.querySelector("#reasons");
  if (!reasons) return;
  const isMissing = form.querySelector("[data-asks]:checked") && !reasons.querySelector(":checked");
  reasons.querySelector("input").setCustomValidity(isMissing ? NO_REASON : "");
}

/** Chooses a verdict; what it asks for next gets the focus. */
function choose(verdict) {
  verdict.checked = true;
  verdict.dispatchEvent(new Event("input", { bubbles: true }));
  if ("edits" in verdict.dataset) form.elements.text.focus();
  else if ("asks" in verdict.dataset) form.querySelector("#reasons input").focus();
  else form.requestSubmit();
}

function chooseReason(number) {
  const reason = form.querySelector("[data-asks]:checked") && form.querySelectorAll("#reasons input")[number - 1];
  if (!reason) return false;
  reason.checked = !reason.checked;
  reason.focus();
  reason.dispatchEvent(new Event("input", { bubbles: true }));
  return true;
}

function meetKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  const key = event.key.toLowerCase();
  const verdict = form?.querySelector(`input[data-key="${CSS.escape(key)}"]`);
  if (key === " " && clip && !event.target.matches("button, a, input, summary, video")) {
    if (clip.paused) clip.play().catch(() => {});
    else clip.pause();
  } else if (key === "p" && clip) replay();
  // No letter: those are the verdicts'.
  else if (key === "." && next) next.click();
  else if ("+=-".includes(key) && clip) widen(key === "-" ? -1 : 1);
  else if (verdict) choose(verdict);
  else if (key === "g" && guideline) {
    guideline.open = !guideline.open;
    guideline.querySelector("summary").focus();
  }
  else if (form && /^[1-9]$/.test(key) && chooseReason(Number(key))) { /* chosen, or chosen no more */ }
  else if (form && key === "enter" && event.target.matches("input[type=radio], input[type=checkbox]")) form.requestSubmit();
  else return;
  event.preventDefault();
}

const boxesOf = (form, name) => [...form.querySelectorAll(`input[type=checkbox][name=${name}]`)];

/** What a field holds; of boxes the values of those that are ticked. */
function valueOf(form, name) {
  const boxes = boxesOf(form, name);
  return boxes.length ? boxes.filter((box) => box.checked).map((box) => box.value).join(" ") : form.elements[name].value;
}

function setValue(form, name, value) {
  const boxes = boxesOf(form, name);
  for (const box of boxes) box.checked = (value ?? "").split(" ").includes(box.value);
  if (!boxes.length) form.elements[name].value = value;
}

/**
 * Keeps what is chosen and typed until the server has it; `names` are fields of the form.
 *
 * What was typed over an older verdict comes back with the revision of that: the server then shows both. A form
 * that the server sends back is the newest there is.
 */
function keepTyped(form, key, names, revision) {
  const present = names.filter((name) => form.elements[name]);
  const given = () => Object.fromEntries(present.map((name) => [name, valueOf(form, name)]));
  const isSent = "sent" in form.dataset;
  const shown = { ...given(), revision };
  const draft = new Draft(key, isSent ? { revision: null } : shown);
  // A text that is kept need not be asked about when the page is left.
  const keep = () => {
    if (!draft.keep({ ...given(), revision: form.elements.revision?.value ?? "", isSent: false })) return;
    for (const field of form.querySelectorAll("textarea")) field.dataset.saved = field.value;
  };
  // What was sent, and saved since, is shown as it is saved.
  const isSaved = draft.values.isSent && draft.values.revision !== revision;
  if (!isSent && !isSaved && present.some((name) => draft.values[name] !== shown[name])) {
    for (const name of present) setValue(form, name, draft.values[name]);
    if (form.elements.revision) form.elements.revision.value = draft.values.revision;
  }
  keep();
  form.addEventListener("input", keep);
  form.addEventListener("submit", () => {
    draft.keep({ isSent: true });
    remember(SENT, JSON.stringify([key, location.pathname]));
  });
  // Who goes on by the link has stopped what was on its way.
  next?.addEventListener("click", () => remember(SENT, null));
  document.querySelector("a[data-drops]")?.addEventListener("click", () => localStorage.removeItem(key));
}

/** The server has what the page before sent, where it led on from there; else nobody knows, and it stays. */
function forgetSent(key) {
  const [sent, from] = JSON.parse(recall(SENT)) ?? [];
  const isLedOn = document.referrer !== "" && new URL(document.referrer).pathname === from;
  if (isLedOn && sent !== key) localStorage.removeItem(sent);
  remember(SENT, null);
}

try {
  forgetSent(form ? `text:${form.dataset.text}` : `text-answer:${location.pathname}`);
} catch {
  // Refused in some private windows: drafts then last as long as the page.
}
if (clip) startClip();
if (blind) keepTyped(blind, `text-answer:${location.pathname}`, ["blind_answer"], "");
if (form) {
  keepTyped(form, `text:${form.dataset.text}`, ["verdict", "reasons", "note", "text", "answer"], form.elements.revision.value);
  startClock(form.elements.seconds);
  form.addEventListener("input", requireReason);
  window.addEventListener("pageshow", requireReason);
  requireReason();
}
document.addEventListener("keydown", meetKey);
