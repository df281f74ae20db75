// Speak while a recording plays. What is typed is noted at the moment at which typing began. The
// recording plays once, from its start to its end, and what was said stays: nobody speaks in
// hindsight. A page that is opened again goes on where it was.
import { recall, remember } from "../../annotation/js/tab_memory.js";

const speaking = document.querySelector("#speaking");
const clip = speaking.querySelector("video");
const at = (id) => document.querySelector(`#${id}`);
const said = at("answer").querySelector("textarea");
const next = at("answer").querySelector("button[type=submit]");
const lengthS = Number(speaking.dataset.lengthS);
const kept = `piev-said-${speaking.dataset.item}`;
const before = JSON.parse(recall(kept));
let beganS = null;

said.readOnly = true;
if (before) said.value = before.said;
next.disabled = true;

function keep(positionS) {
  remember(kept, JSON.stringify({ said: said.value, positionS }));
}

function show() {
  at("clock").textContent = `${clip.currentTime.toFixed(1)} s`;
  at("play").textContent = clip.paused ? "Play" : "Pause";
}

function end(words) {
  at("state").textContent = words;
  next.disabled = false;
  for (const control of [at("play"), at("words"), at("say").querySelector("button")]) control.disabled = true;
  next.focus();
}

function togglePlay() {
  if (clip.ended) return;
  if (clip.paused) clip.play().catch(() => {});
  else clip.pause();
}

function say() {
  const words = at("words").value.trim().replace(/\s+/g, " ");
  if (!words) return;
  const time = Math.min(beganS ?? clip.currentTime, lengthS).toFixed(2);
  const lines = said.value.split("\n").filter(Boolean);
  // Said at one moment, of a recording that stands still: one thing that is said.
  if (lines.at(-1)?.startsWith(`${time}, `)) lines[lines.length - 1] += ` ${words}`;
  else lines.push(`${time}, ${words}`);
  said.value = lines.join("\n");
  said.scrollTop = said.scrollHeight;
  at("words").value = "";
  beganS = null;
  keep(clip.currentTime);
}

function goOn() {
  if (before) clip.currentTime = before.positionS;
}

function giveUp() {
  said.readOnly = false;
  end("The recording cannot be played now. Open this page again later, or write lines yourself.");
}

// The recording may have come, or failed, before this script did.
if (clip.readyState) goOn();
else clip.addEventListener("loadedmetadata", goOn, { once: true });
for (const name of ["play", "pause", "timeupdate", "seeked"]) clip.addEventListener(name, show);
clip.addEventListener("timeupdate", () => keep(clip.currentTime));

function finish() {
  end("The recording is over: check what you said, and press Next.");
}

function meetEnd() {
  if (!clip.ended) return;
  // Nobody is cut short: a space that was meant for the words would press the button that has the focus then.
  if (!at("words").value.trim()) finish();
  else at("state").textContent = "The recording is over: finish what you are saying, and press Enter.";
}

// A page that is opened again at the end goes there, and nothing ends.
for (const name of ["ended", "seeked"]) clip.addEventListener(name, meetEnd);
clip.addEventListener("error", giveUp);
if (clip.error) giveUp();
at("play").addEventListener("click", togglePlay);
at("words").addEventListener("input", () => {
  if (!at("words").value.trim()) beganS = null;
  else beganS ??= clip.currentTime;
});
at("words").addEventListener("keydown", (event) => {
  if (event.key === "Escape") at("words").blur();
});
at("say").addEventListener("submit", (event) => {
  event.preventDefault();
  say();
  if (clip.ended) finish();
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, select, button, summary, a")) return;
  const action = { " ": togglePlay, "/": () => at("words").focus() }[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});
show();
