/** The buttons over the lanes and under the video: the same commands as the keys. */

import { habit, keepHabit, takeUpHabits } from "../../annotation/js/habits.js";
import { SKIP_S, SPEEDS } from "./playback.js";
import { clockText } from "./time_scale.js";

const FRAME_STEP = "[data-frame-step]";

/** Tie the buttons of the toolbar to `commands` by their names. */
export function bindTools({ root, commands, editor, scale, marking }) {
  const menu = root.querySelector("#more");
  const opener = root.querySelector("#show-more");
  const openMenu = (isOpen) => {
    menu.hidden = !isOpen;
    opener.setAttribute("aria-expanded", String(isOpen));
  };
  opener.addEventListener("click", () => {
    openMenu(menu.hidden);
    if (!menu.hidden) menu.querySelector("button:enabled")?.focus();
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    openMenu(false);
    opener.focus();
  });
  document.addEventListener("pointerdown", ({ target }) => { if (!target.closest(".more")) openMenu(false); });
  root.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-command]");
    if (!button) return;
    openMenu(false);
    commands[button.dataset.command]();
  });
  for (const toggle of root.querySelectorAll("[data-setting]")) {
    toggle.addEventListener("click", () => setSnapping(editor, toggle.dataset.setting, !editor.settings[toggle.dataset.setting]));
  }
  const mark = root.querySelector("[data-command=mark]");
  const words = root.querySelector("#window-words");
  const drawWindow = () => { words.textContent = `${clockText(scale.startS, 0)}–${clockText(scale.endS, 0)}`; };
  scale.addEventListener("change", drawWindow);
  drawWindow();
  const draw = () => {
    for (const toggle of root.querySelectorAll("[data-setting]")) {
      toggle.setAttribute("aria-pressed", String(editor.settings[toggle.dataset.setting]));
    }
    const name = marking.open ? "Ends, next begins" : editor.track.is_points ? "Mark" : "Begins here";
    if (mark.ariaLabel !== name) {
      mark.ariaLabel = name;
      mark.title = `${name} (A)`;
      mark.querySelector(".word").textContent = name;
    }
    root.querySelector("[data-command=end]").disabled = !marking.open;
  };
  editor.addEventListener("change", draw);
  marking.addEventListener("change", draw);
  draw();
}

export function setSnapping(editor, name, isOn) {
  editor.settings[name] = isOn;
  for (const how of [editor.hands, editor.freeHands, editor.snappingHands]) how.settings.sharesEdges = editor.settings.sharesEdges;
  const titles = { snaps: "Snapping", tracks: "Snapping to the reference", sound: "Snapping to sounds", sharesEdges: "Shared edges" };
  editor.say(`${titles[name]} ${isOn ? "on" : "off"}`, "");
  editor.changed();
}

/** Hide the buttons of what cannot be done here: another scheme, another stage, locked edges. */
export function hideTools({ root, data, tracks }) {
  const has = {
    mistake: tracks.some((track) => track.labels.length > 0),
    missing: tracks.some((track) => track.says_missing),
    accept: data.stage !== "audit",
    copyAll: data.reference.length > 0,
    bring: data.reference.length > 0 || data.lanes.length > 0 || data.stage === "correct",
  };
  for (const name of ["mark", "end", "start", "stop", "typeEdge", "split", "join", "remove", "ripple", "copyAll", "bring"]) {
    has[name] = (has[name] ?? true) && !data.has_locked_edges;
  }
  for (const button of root.querySelectorAll("[data-command]")) {
    if (has[button.dataset.command] === false) button.hidden = true;
  }
  hideEmptyGroups(root);
  document.querySelector("#edge-fields").hidden = data.stage === "audit" || data.has_locked_edges;
  root.querySelector("[data-setting=tracks]").hidden = !data.reference.length && !data.lanes.length;
  root.querySelector("[data-setting=sound]").hidden = !data.media?.sound;
  root.querySelector("[data-setting=sharesEdges]").hidden = tracks.every(({ geometry }) => geometry === "partition");
  // In an audit nothing is changed, so only zooming is left.
  if (data.stage !== "audit") return;
  const left = ["zoomIn", "zoomOut", "zoomSegment", "zoomAll", "guideline", "reaction"];
  for (const button of root.querySelectorAll("[data-command]")) button.hidden = !left.includes(button.dataset.command) || button.dataset.command === "reaction";
  root.querySelector("[aria-label=Snapping]").hidden = true;
  hideEmptyGroups(root);
  for (const name of ["#undo", "#redo", "#show-history"]) document.querySelector(name).hidden = true;
}

/** A group of which nothing is left takes no room. */
function hideEmptyGroups(root) {
  for (const group of root.querySelectorAll(".group")) if (!group.querySelector("button:not([hidden])")) group.hidden = true;
}

export function bindTransport({ root, playback, commands }) {
  const news = root.querySelector("#watch-news");
  const play = root.querySelector("[data-play]");
  const speed = root.querySelector("[data-speed]");
  const sound = root.querySelector("[data-sound]");
  const loop = root.querySelector("[data-loop]");
  const edgeLoop = root.querySelector("[data-edge-loop]");
  for (const button of root.querySelectorAll(FRAME_STEP)) {
    button.addEventListener("click", () => playback.stepFrame(Number(button.dataset.frameStep)));
  }
  const stay = root.querySelector("[data-stay]");
  for (const button of root.querySelectorAll("[data-skip-step]")) {
    button.addEventListener("click", Number(button.dataset.skipStep) < 0 ? commands.back : commands.forth);
  }
  bindSkip(root.querySelector("[data-skip]"), playback);
  stay.addEventListener("click", commands.stayInside);
  loop.addEventListener("click", commands.loop);
  edgeLoop.addEventListener("click", commands.edgeLoop);
  if (!playback.players) {
    for (const control of root.querySelectorAll("button:not([data-frame-step], [data-skip-step]), select")) control.disabled = true;
    return;
  }
  const { players } = playback;
  play.addEventListener("click", () => playback.toggle());
  speed.addEventListener("change", () => players.setSpeed(Number(speed.value)));
  sound.addEventListener("click", () => playback.toggleSound());
  takeUpHabits(players);
  if (SPEEDS.includes(habit("speed"))) players.setSpeed(habit("speed"));
  const stateNow = () => ({ isPlaying: playback.isPlaying, speed: players.speed, isHeard: !playback.video.muted });
  let before = stateNow();
  const draw = () => {
    const now = stateNow();
    play.querySelector("span").textContent = now.isPlaying ? "Pause" : "Play";
    speed.value = String(now.speed);
    sound.setAttribute("aria-pressed", String(now.isHeard));
    stay.setAttribute("aria-pressed", String(Boolean(playback.spanToStayIn)));
    loop.setAttribute("aria-pressed", String(playback.isLooping && playback.loops === "segment"));
    edgeLoop.setAttribute("aria-pressed", String(playback.isLooping && playback.loops === "edge"));
    for (const name of ["speed", "isHeard"]) if (now[name] !== before[name]) keepHabit(name, now[name]);
    // What a key has changed is read aloud; a button that was pressed says so itself.
    if (!root.contains(document.activeElement)) news.textContent = newsOf(before, now, playback) ?? news.textContent;
    before = now;
  };
  playback.addEventListener("change", draw);
  draw();
}

/** How far one press goes: a number of seconds, checked, kept from recording to recording. */
function bindSkip(field, playback) {
  const kept = habit("skipS");
  if (kept >= SKIP_S.least && kept <= SKIP_S.most) playback.skipS = kept;
  const show = () => {
    field.value = String(playback.skipS);
    field.setCustomValidity("");
  };
  field.addEventListener("change", () => {
    const seconds = Number(field.value.trim().replace(",", "."));
    if (!(seconds >= SKIP_S.least && seconds <= SKIP_S.most)) {
      field.setCustomValidity(`“${field.value}” is no skip; expected seconds from ${SKIP_S.least} to ${SKIP_S.most}, such as 2.5.`);
      field.reportValidity();
      return;
    }
    playback.skipS = seconds;
    keepHabit("skipS", seconds);
    show();
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") field.blur();
    if (event.key === "Escape") show();
  });
  show();
}

function newsOf(before, now, { timeS }) {
  if (now.isHeard !== before.isHeard) return now.isHeard ? "Sound on" : "Sound off";
  if (now.speed !== before.speed) return `Speed ${now.speed}`;
  if (now.isPlaying !== before.isPlaying) return now.isPlaying ? "Plays" : `Paused at ${clockText(timeS)}`;
  return null;
}
