/** Ties the players to their buttons, clocks, strips and to the table. */

import { keepHabit, takeUpHabits } from "./habits.js";
import { Players } from "./player.js";
import { SIDES } from "./sections.js";
import { showThumbnails } from "./thumbnails.js";
import { Strip, shownTime } from "./timeline.js";

const NAMES = Object.freeze({ reference: "Reference", trace: "To rate" });

/** Returns the players, or null for a page without video. */
export function watch({ data, table, currentEvent }) {
  const root = document.querySelector("#players");
  if (!root) return null;
  const figures = new Map([...root.querySelectorAll("[data-side]")].map((figure) => [figure.dataset.side, figure]));
  const players = new Players({
    videos: Object.fromEntries([...figures].map(([side, figure]) => [side, figure.querySelector("video")])),
    frameRates: data.frame_rates,
    durations: data.durations,
    sections: data.sections,
  });
  players.strips = new Map();
  for (const [side, figure] of figures) bindFigure({ side, figure, players, table, data });
  bindTransport(players, { data, currentEvent });
  players.addEventListener("tick", () => followRow({ players, data, table }));
  return players;
}

function bindFigure({ side, figure, players, table, data }) {
  const video = figure.querySelector("video");
  const strip = new Strip(figure.querySelector("svg"));
  players.strips.set(side, strip);
  const { peaks, sprite } = data.media[side];
  if (peaks.length) strip.drawWaveform(peaks);
  if (sprite) showThumbnails({ strip, figure, sprite, base: data.urls.pictures[side], timeText: shownTime });
  strip.addEventListener("choose", ({ detail: { row, time } }) => {
    if (row !== undefined) table.mark(row);
    players.seekSide(side, time);
  });
  bindClock({ side, figure, video, strip, players });
  bindProblem({ side, figure, video, players });
  video.addEventListener("click", () => players.toggle());
}

/** Say in its place why a recording cannot be played, also when it failed before this page's code ran. */
export function bindProblem({ side, figure, video, players }) {
  const box = figure.querySelector(".video-error");
  const words = box.querySelector("[data-problem]");
  const goOn = box.querySelector("[data-without]");
  const name = figure.dataset.name ?? NAMES[side];
  let tries = 0;
  let problem = "";
  const show = async () => {
    problem = `this video ${await problemOf(video)}`;
    words.textContent = `${name}: ${problem}.`;
    box.hidden = !video.error;
  };
  goOn?.addEventListener("click", () => {
    words.textContent = `${name}: you continue without it, and the researcher will see that.`;
    goOn.hidden = true;
    players.dispatchEvent(new CustomEvent("without", { detail: { side, problem } }));
  });
  video.addEventListener("error", show);
  if (video.error) show();
  video.addEventListener("loadeddata", () => { box.hidden = true; });
  box.querySelector("[data-reload]").addEventListener("click", () => {
    tries += 1;
    // An address that is too old fails again; the page then comes with a new one.
    if (tries > 1) window.location.reload();
    else video.load();
  });
}

/** Return what is wrong with a recording that the browser gave up. */
async function problemOf(video) {
  try {
    const answer = await fetch(video.src, { headers: { Range: "bytes=0-0" }, cache: "no-store" });
    const { status, ok } = answer;
    if (status === 404) return "is missing on the server";
    // What is not ready yet says so itself.
    const words = status === 503 ? (await answer.text()).trim() : "";
    if (words) return words;
    if (!ok) return `cannot be loaded from the server (error ${status})`;
    return "is damaged, or of a kind that this browser cannot play";
  } catch {
    return "cannot be loaded: there is no connection";
  }
}

function bindClock({ side, figure, video, strip, players }) {
  const clock = figure.querySelector("[data-clock]");
  const waiting = figure.querySelector("[data-waiting]");
  const draw = () => {
    strip.draw(video.currentTime);
    if (!players.isPlaying) strip.tell(video.currentTime);
    const text = shownTime(video.currentTime);
    if (clock.textContent !== text) clock.textContent = text;
    const words = waitingWords(players, side);
    if (waiting.textContent !== words) waiting.textContent = words;
    waiting.hidden = !words;
  };
  players.addEventListener("tick", draw);
  players.addEventListener("change", draw);
  draw();
}

/** Why a side stands still while the other one plays. */
function waitingWords(players, side) {
  if (!players.waiting.includes(side)) return "";
  const { note, kind } = players.section;
  if (/^step \d/.test(note)) return `Here it is ${note}`;
  if (note) return note.charAt(0).toUpperCase() + note.slice(1);
  return kind === "step" ? "This step is done here" : "Waiting";
}

function bindTransport(players, { data, currentEvent }) {
  const root = document.querySelector("#transport");
  const news = root.querySelector("#watch-news");
  const play = root.querySelector("[data-play]");
  const speed = root.querySelector("[data-speed]");
  const loop = root.querySelector("[data-loop]");
  const sound = root.querySelector("[data-sound]");
  play.addEventListener("click", () => players.toggle());
  root.querySelectorAll("[data-frame]").forEach((button) => {
    button.addEventListener("click", () => players.stepFrame(Number(button.dataset.frame)));
  });
  speed.addEventListener("change", () => players.setSpeed(Number(speed.value)));
  loop.addEventListener("click", () => toggleLoop(players, data, currentEvent()));
  sound.addEventListener("click", () => toggleSound(players));
  root.querySelector("[data-from-start]").addEventListener("click", () => playFromStart(players));
  root.querySelector("[data-enlarge]").addEventListener("click", () => enlarge(players));
  root.querySelectorAll("[name=follow]").forEach((input) => {
    input.addEventListener("change", () => {
      players.setMode(input.value);
      keepHabit("mode", input.value);
    });
    if (input.value === "step") input.disabled = !players.steps;
  });
  takeUpHabits(players);
  let state = stateOf(players);
  const draw = () => {
    play.querySelector("span").textContent = players.isPlaying ? "Pause" : "Play";
    speed.value = String(players.speed);
    loop.setAttribute("aria-pressed", String(Boolean(players.loopSpans)));
    sound.setAttribute("aria-pressed", String(!players.main.video.muted));
    root.querySelectorAll("[name=follow]").forEach((input) => { input.checked = input.value === players.mode; });
    const before = state;
    state = stateOf(players);
    for (const name of ["speed", "isHeard"]) if (state[name] !== before[name]) keepHabit(name, state[name]);
    // What a key has changed is read aloud; a button that was pressed says so itself.
    if (!root.contains(document.activeElement)) news.textContent = newsOf(before, state, players) ?? news.textContent;
  };
  players.addEventListener("change", draw);
  players.addEventListener("unplayable", () => {
    news.textContent = players.sides.size > 1 ? "Neither video can be played" : "The video cannot be played";
  });
  players.addEventListener("frame", () => { news.textContent = placesOf(players); });
  draw();
}

function stateOf({ isPlaying, speed, loopSpans, main }) {
  return { isPlaying, speed, isLooping: Boolean(loopSpans), isHeard: !main.video.muted };
}

function newsOf(before, now, players) {
  if (now.isLooping !== before.isLooping) return now.isLooping ? "Looping this event" : "Loop off";
  if (now.isHeard !== before.isHeard) return now.isHeard ? "Sound on" : "Sound off";
  if (now.speed !== before.speed) return `Speed ${now.speed}`;
  if (now.isPlaying !== before.isPlaying) return now.isPlaying ? "Plays" : `Paused. ${placesOf(players)}`;
  return null;
}

function placesOf(players) {
  return [...players.sides].map(([side, { time }]) => `${NAMES[side]} ${shownTime(time)}`).join(", ");
}

/** Play all of it: both sides from their first picture. */
export function playFromStart(players) {
  players.setLoop(null);
  if (players.mode === "step") players.go(0);
  else {
    players.showEach(() => 0);
    if (players.mode === "time") players.anchor();
  }
  players.play();
}

/** The trace over the whole width, then the reference, then both as before. */
export function enlarge(players) {
  const root = document.querySelector("#players");
  const sizes = ["", ...["trace", "reference"].filter((side) => players.sides.has(side))];
  const size = sizes[(sizes.indexOf(root.dataset.large ?? "") + 1) % sizes.length];
  root.dataset.large = size;
  const words = { "": "Videos as before", trace: "The video to rate, enlarged", reference: "The reference, enlarged" };
  document.querySelector("#watch-news").textContent = words[size];
}

/** All of the screen for the videos, and back. */
export function toggleFullScreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.querySelector("#players").requestFullscreen?.();
}

/** Only the trace is heard: two sounds at once help nobody. */
export function toggleSound(players) {
  players.main.video.muted = !players.main.video.muted;
  players.changed();
}

export function toggleLoop(players, data, event) {
  players.setLoop(players.loopSpans ? null : spansOf(data, event));
}

/** Return the rows of an event and when it happens on each side, or null where nothing is timed. */
function spansOf(data, event) {
  const rows = [...data.rows.keys()].filter((row) => data.rows[row].event === event && data.rows[row].mark !== "cascade");
  if (event === null || !rows.length) return null;
  const spans = Object.fromEntries(SIDES.map((side) => [side, spanOf(rows.map((row) => data.rows[row][side]))]));
  return spans.reference || spans.trace ? { rows, ...spans } : null;
}

function spanOf(times) {
  const known = times.filter(([start]) => start !== null);
  if (!known.length) return null;
  return [Math.min(...known.map(([start]) => start)), Math.max(...known.map(([start, end]) => end ?? start))];
}

/** While both play, the row that they show is the current one. */
function followRow({ players, data, table }) {
  if (!players.isPlaying) return;
  const row = players.mode === "step" ? players.section.row : rowAt(players, data);
  if (row !== null && row >= 0) table.mark(row);
}

function rowAt(players, data) {
  const { time } = players.main;
  const side = players.sides.has("trace") ? "trace" : "reference";
  return data.rows.findIndex(
    ({ mark, [side]: span }) => mark !== "missing" && span[1] !== null && span[0] <= time && time < span[1],
  );
}
