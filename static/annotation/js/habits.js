/** How a rater likes to watch (mode, speed, sound), kept in this browser from trace to trace. */

import { SPEEDS } from "./player.js";

const KEY = "piev:watching";

function habits() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? {};
  } catch {
    return {}; // Refused in some private windows: every trace then begins as the first one.
  }
}

/** What was kept under a name; undefined where nothing was. */
export function habit(name) {
  return habits()[name];
}

export function keepHabit(name, value) {
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...habits(), [name]: value }));
  } catch {
    // As above.
  }
}

/** Whether the rater wants an event to play when it is gone to. */
export function playsOnArrival() {
  return habits().playsOnArrival === true;
}

/** Begin as the rater left the trace before; what this trace cannot do stays as it is. */
export function takeUpHabits(players) {
  const { mode, speed, isHeard } = habits();
  const canFollow = players.sides.size > 1 && ["time", "free"].includes(mode);
  if (canFollow) players.setMode(mode);
  if (SPEEDS.includes(speed)) players.setSpeed(speed);
  if (isHeard === true) players.main.video.muted = false;
}
