// The live page. While the run is on, the worker's clock is the truth: the page fetches events by
// number and shows the picture beside it. Once it has ended, the same events play again from here,
// without a call, on the page's own clock.
import { call, troubleWords } from "../../annotation/js/api.js";

const SVG = "http://www.w3.org/2000/svg";
const FETCH_MS = 500;
// Where picture and loop are further apart, the loop is right.
const MOST_APART_S = 0.2;
const live = document.querySelector("#live");
const clip = live.querySelector("video");
const strip = live.querySelector(".strip");
const lengthS = Number(live.dataset.lengthS);
const at = (id) => document.querySelector(`#${id}`);
const events = [];
let right = [];
let clock = { position: 0, since: null };
let isOver = false;
let isStarted = false;
let isCutOff = false;
let shown = "";
let shownPlan = "";
let saidCount = 0;
let saidLines = [];

function position() {
  const gone = clock.since === null ? 0 : (performance.now() - clock.since) / 1000;
  return Math.min(clock.position + gone, lengthS);
}

function setClock(seconds, isPlaying) {
  clock = { position: seconds, since: isPlaying ? performance.now() : null };
}

function element(name, text, className = "") {
  const made = document.createElement(name);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

const seconds = (number) => `${number.toFixed(1)} s`;

function line(timeS, words, className, href = "") {
  const item = element("li", "", className);
  item.append(element("time", `${seconds(timeS)} `), href ? Object.assign(element("a", words), { href }) : words);
  return item;
}

function planLines(plan) {
  if (!plan) return [element("li", "No plan of its own.", "muted")];
  return [
    ...plan.completed.map((step) => element("li", step, "done")),
    ...(plan.current ? [element("li", plan.current, "current")] : []),
    ...plan.next.map((step) => element("li", step)),
  ];
}

/** What one event adds to what was said, as pairs of its time and its line. */
function saidAt(event) {
  if (event.kind !== "decided") return [];
  const lines = [];
  if (event.asks) lines.push([event.time_s, line(event.time_s, `You: ${event.asks}`, "user")]);
  if (event.answer === "interrupt") {
    const lag = event.lag_s ? ` (${seconds(event.lag_s)} later${event.is_late ? ", late" : ""})` : "";
    lines.push([event.time_s, line(event.time_s, `${event.text || "(without words)"}${lag}`, "assistant")]);
  }
  return lines;
}

const rightAt = (words) => [words.time_s, line(words.time_s, `Right: ${words.text}`, "right")];

function outcome(event) {
  if (event.kind === "skipped") return `${event.count} skipped: the model was still being asked`;
  if (event.kind === "ended") return event.reason ? `ended: ${event.reason}` : "ended";
  const words = event.answer === "interrupt" ? `interrupt: ${event.text}` : event.answer || "no decision";
  const planner = event.planner ? ` · plan ${event.planner}` : "";
  const cost = event.usd ? ` · $${event.usd.toFixed(4)}` : "";
  return `${words}${planner}${event.reason ? ` · ${event.reason}` : ""} · ${event.seconds.toFixed(2)} s${cost}`;
}

function mark(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

const along = (timeS) => (100 * timeS) / (lengthS || 1);
const ghosts = mark("g", {});
const marks = mark("g", {});
strip.append(ghosts, marks);

function stripMark(event) {
  if (event.kind === "ended") return mark("g", {});
  const kind = event.kind === "skipped" ? "skipped" : event.answer || "none";
  const height = { interrupt: 8, silent: 2, none: 5, skipped: 4 }[kind];
  return mark("rect", { class: kind, x: along(event.time_s) - 0.2, y: 10 - height, width: 0.5, height });
}

function showGhosts() {
  const drawn = right.map((words) => mark("rect", { class: "right", x: along(words.time_s) - 0.3, y: 1, width: 0.7, height: 9 }));
  ghosts.replaceChildren(...drawn);
}

/** Make a list have one child for each event: what stands there already stays as it is. */
function fill(list, happened, toChild) {
  while (list.children.length > happened.length) list.lastChild.remove();
  list.append(...happened.slice(list.children.length).map(toChild));
}

function showFigures(figures) {
  const rows = [
    ["Decisions", figures.decided_count],
    ["Skipped, late", `${figures.skipped_count}, ${figures.late_count}`],
    ["Latency, median and p95", figures.latency_s === null ? "–" : `${figures.latency_s.toFixed(2)} s, ${figures.latency_p95_s.toFixed(2)} s`],
    ["Real-time factor", figures.real_time_factor === null ? "–" : figures.real_time_factor.toFixed(2)],
    ["Cost per minute", figures.usd_per_minute === null ? "–" : `$${figures.usd_per_minute.toFixed(4)}`],
  ];
  at("figures").replaceChildren(...rows.flatMap(([name, value]) => [element("dt", name), element("dd", String(value))]));
}

/** Change a text only where it is another: each change is a layout, and this runs every frame. */
function setText(id, words) {
  if (at(id).textContent !== words) at(id).textContent = words;
}

function showPlan(plan) {
  const key = JSON.stringify(plan);
  if (key === shownPlan) return;
  shownPlan = key;
  at("plan").replaceChildren(...planLines(plan));
  at("cues").replaceChildren(
    ...(plan ? [element("p", `Done when: ${plan.complete_cues}`), element("p", `Not done while: ${plan.incomplete_cues}`)] : []),
  );
}

/** Add what is new, so that a screen reader does not read all again; a replay hides what is to come. */
function showSaid(happened, now) {
  const said = at("said");
  if (isOver) {
    for (const [timeS, item] of saidLines) item.hidden = timeS > now && !item.matches(".right");
    return;
  }
  const added = happened.slice(saidCount).flatMap(saidAt).map((pair) => pair[1]);
  saidCount = happened.length;
  if (added.length === 0) return;
  said.append(...added);
  said.scrollTop = said.scrollHeight;
}

/** The run is over: its events in the order of time, beside what was right to say. */
function closeRun() {
  isOver = true;
  events.sort((one, other) => one.time_s - other.time_s || one.number - other.number);
  for (const list of [at("all"), marks]) list.replaceChildren();
  saidLines = [...events.flatMap(saidAt), ...right.map(rightAt)].sort((one, other) => one[0] - other[0]);
  at("said").replaceChildren(...saidLines.map((pair) => pair[1]));
  showGhosts();
}

/** Show what has happened up to now: all of a run that is on, and up to the clock of a replay. */
function show() {
  const now = position();
  const happened = isOver ? events.filter((event) => event.time_s <= now) : events;
  setText("clock", seconds(now));
  const key = `${happened.length} ${isOver}`;
  if (key !== shown) {
    shown = key;
    showPlan(happened.findLast((event) => event.kind === "decided")?.plan ?? null);
    showSaid(happened, now);
    const address = (event) => (event.kind === "decided" ? live.dataset.asked.replace(/0\/$/, `${event.number}/`) : "");
    fill(at("all"), happened, (event) => line(event.time_s, outcome(event), event.kind, address(event)));
    fill(marks, happened, stripMark);
  }
  // Moved without drawing the strip's marks again.
  at("head").style.transform = `translateX(${along(now)}%)`;
  setText("play", clock.since === null ? (isOver ? "Play again" : "Play") : "Pause");
  if (isOver && clock.since !== null && now >= lengthS) setClock(lengthS, false);
  showClip(now);
}

function showClip(now) {
  if (!clip) return;
  if (Math.abs(clip.currentTime - now) > MOST_APART_S) clip.currentTime = now;
  if (clock.since === null && !clip.paused) clip.pause();
  if (clock.since !== null && clip.paused) clip.play().catch(() => {});
}

async function fetchEvents() {
  try {
    const after = events.at(-1)?.number ?? 0;
    const standing = await call("GET", `${live.dataset.events}?after=${after}`);
    events.push(...standing.events);
    // What went wrong with a press stays to be read until one goes well.
    if (isCutOff) at("trouble").textContent = "";
    isCutOff = false;
    isStarted = isStarted || standing.is_playing || events.length > 0;
    showFigures(standing.figures);
    if (standing.is_over && standing.events.length === 0) {
      right = standing.right;
      closeRun();
      setClock(standing.position_s, false);
      at("state").textContent = "ended; play it again as often as you like";
      for (const id of ["stop", "question"]) at(id).disabled = true;
      at("ask").querySelector("button").disabled = true;
      return;
    }
    if (Math.abs(position() - standing.position_s) > MOST_APART_S || standing.is_playing !== (clock.since !== null)) {
      setClock(standing.position_s, standing.is_playing);
    }
    at("state").textContent = standing.is_playing ? "playing" : isStarted ? "paused" : "ready";
  } catch (error) {
    isCutOff = true;
    at("trouble").textContent = troubleWords(error);
  }
  setTimeout(fetchEvents, FETCH_MS);
}

/** Tells whether the server has it. */
async function send(kind, text = "") {
  try {
    await call("POST", live.dataset.commands, { kind, text });
    at("trouble").textContent = "";
    return true;
  } catch (error) {
    at("trouble").textContent = troubleWords(error);
    return false;
  }
}

function togglePlay() {
  const isPlaying = clock.since !== null;
  if (!isOver) send(isPlaying ? "pause" : "play");
  else setClock(position() >= lengthS && !isPlaying ? 0 : position(), !isPlaying);
}

function step() {
  if (!isOver) send("step");
  else setClock(events.find((event) => event.time_s > position())?.time_s ?? lengthS, false);
}

at("play").addEventListener("click", togglePlay);
at("step").addEventListener("click", step);
at("stop").addEventListener("click", () => send("stop"));
at("ask").addEventListener("submit", async (event) => {
  event.preventDefault();
  const question = at("question");
  const words = question.value.trim();
  if (!words || question.readOnly) return;
  // What was typed meanwhile would go with what was asked.
  question.readOnly = true;
  if (await send("ask", words)) question.value = "";
  question.readOnly = false;
});
at("question").addEventListener("keydown", (event) => {
  if (event.key === "Escape") at("question").blur();
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, select, button, summary, a")) return;
  const action = { " ": togglePlay, ".": step, "/": () => at("question").focus() }[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

function draw() {
  show();
  requestAnimationFrame(draw);
}

fetchEvents();
draw();
