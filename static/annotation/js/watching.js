/** Ties the players to their buttons, clocks, strips and to the table. */

import { Players } from "./player.js";
import { Strip, shownTime } from "./timeline.js";

/** Returns the players, or null for a page without video. */
export function watch({ data, table, currentEvent }) {
  const root = document.querySelector("#players");
  if (!root) return null;
  const figures = new Map([...root.querySelectorAll("[data-side]")].map((figure) => [figure.dataset.side, figure]));
  const videoOf = (side) => figures.get(side)?.querySelector("video") ?? null;
  const players = new Players({
    reference: videoOf("reference"),
    trace: videoOf("trace"),
    frameRates: data.frame_rates,
    clock: data.clock,
  });
  for (const [side, figure] of figures) bindFigure({ side, figure, players, table, data });
  bindTransport(players, { data, currentEvent });
  players.addEventListener("tick", () => followRow({ players, data, table }));
  return players;
}

function bindFigure({ side, figure, players, table, data }) {
  const video = players[side];
  const clock = figure.querySelector("[data-clock]");
  const strip = new Strip(figure.querySelector("svg"));
  strip.addEventListener("choose", ({ detail: { row, time } }) => {
    if (row !== undefined) table.mark(row);
    if (players.mode === "free") video.currentTime = time;
    else if (video === players.leader) players.seekLeader(time);
    else if (row !== undefined) players.seek(data.rows[row]);
  });
  const draw = () => {
    strip.draw(video.currentTime);
    const text = shownTime(video.currentTime);
    if (clock.textContent !== text) clock.textContent = text;
  };
  players.addEventListener("tick", draw);
  draw();
  const error = figure.querySelector(".video-error");
  let errorCount = 0;
  video.addEventListener("error", () => { error.hidden = false; errorCount += 1; });
  video.addEventListener("loadeddata", () => { error.hidden = true; });
  figure.querySelector("[data-reload]").addEventListener("click", () => {
    // An address that is too old fails again; the page then comes with a new one.
    if (errorCount > 1) window.location.reload();
    else video.load();
  });
  video.addEventListener("click", () => players.toggle());
}

function bindTransport(players, { data, currentEvent }) {
  const root = document.querySelector("#transport");
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
  root.querySelectorAll("[name=follow]").forEach((input) => {
    input.addEventListener("change", () => players.setMode(input.value));
  });
  const draw = () => {
    play.querySelector("span").textContent = players.isPlaying ? "Pause" : "Play";
    speed.value = String(players.speed);
    loop.setAttribute("aria-pressed", String(Boolean(players.loop)));
    sound.setAttribute("aria-pressed", String(!players.leader.muted));
    root.querySelectorAll("[name=follow]").forEach((input) => {
      input.checked = input.value === players.mode;
      if (input.value === "step") input.disabled = !data.clock.length;
    });
  };
  players.addEventListener("change", draw);
  draw();
}

/** Only the trace is heard: two sounds at once help nobody. */
export function toggleSound(players) {
  players.leader.muted = !players.leader.muted;
  players.changed();
}

export function toggleLoop(players, data, event) {
  players.setLoop(players.loop ? null : spanOf(data, event));
}

/** Return when an event happens in the trace, or null where nothing of it is timed. */
export function spanOf(data, event) {
  const rows = data.rows.filter((row) => row.event === event && row.mark !== "cascade" && row.trace[0] !== null);
  if (event === null || !rows.length) return null;
  return {
    start: Math.min(...rows.map((row) => row.trace[0])),
    end: Math.max(...rows.map((row) => row.trace[1] ?? row.trace[0])),
  };
}

/** While the trace plays, the row that it shows is the current one. */
function followRow({ players, data, table }) {
  if (!players.isPlaying || !players.trace) return;
  const time = players.trace.currentTime;
  const row = data.rows.findIndex(
    ({ mark, trace }) => mark !== "missing" && trace[1] !== null && trace[0] <= time && time < trace[1],
  );
  if (row >= 0) table.mark(row);
}
