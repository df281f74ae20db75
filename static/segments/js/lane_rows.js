/** The rows of the timeline: what one compares with, one's own tracks, and the sound. */

import { FilmStrip } from "./film_strip.js";
import { Lane } from "./lane.js";
import { SoundLane } from "./sound_lane.js";

/** Those that are there and have times, by time. */
export function timedOf(segments) {
  return segments.filter(({ start_s: startS, is_deleted: isDeleted }) => startS !== null && !isDeleted)
    .sort((a, b) => a.start_s - b.start_s || a.end_s - b.end_s);
}

const SIGNS = Object.freeze({ labels: "▲ ", none: "" });

/** Returns {lanes, film, sound, labels}; a label of an own track is a button that makes it the current one. */
export function makeLanes({ root, data, others, describing, editor, scale }) {
  const labels = new Map();
  const area = root.querySelector("[data-area]");
  const column = root.querySelector("[data-labels]");
  const lines = area.querySelector(".lines");

  function add({ title, kind, name }) {
    const label = document.createElement("div");
    label.className = `label ${kind}`;
    if (kind === "own") {
      const button = document.createElement("button");
      Object.assign(button, { type: "button", textContent: title });
      button.addEventListener("click", () => editor.setTrack(name));
      label.append(button);
      labels.set(name, label);
    } else {
      label.textContent = title;
    }
    column.append(label);
    const lane = document.createElement("div");
    lane.className = `lane ${kind}`;
    lane.setAttribute("role", "group");
    lane.setAttribute("aria-label", title);
    area.insertBefore(lane, lines);
    return lane;
  }

  /** Another's segments of several tracks lie in several lanes; a track of which there are none has none. */
  function byTrack({ title, segments }) {
    const used = editor.book.scheme.tracks.filter(({ name }) => segments.some((item) => item.track === name && item.start_s !== null));
    return used.map((track) => ({
      title: used.length > 1 ? `${title}: ${track.title}` : title, segments: segments.filter((item) => item.track === track.name),
    }));
  }

  let film = null;
  if (data.media?.stills?.tile_count) {
    const label = document.createElement("div");
    label.className = "label";
    label.textContent = "Pictures";
    column.append(label);
    film = new FilmStrip({ root: area.querySelector("[data-film]"), label, scale, stills: data.media.stills });
  }
  const lanes = [];
  const compared = data.reference.length ? [{ title: "Reference", segments: data.reference.map((step, index) => ({ key: `reference-${index}`, label: "", ...step })) }] : [];
  // In a correction the proposals are a lane too; it fills once they are fetched.
  const corrected = data.stage === "correct" ? [{ title: "Proposed", segments: [] }] : [];
  for (const { title, segments } of [...compared, ...corrected, ...others.flatMap(byTrack)]) {
    const lane = new Lane({ root: add({ title, kind: "other" }), name: title, kind: "other", describe: (segment) => describing.inOtherLane(segment) });
    lane.set(timedOf(segments));
    lanes.push(lane);
  }
  for (const track of editor.book.scheme.tracks) {
    const title = `${SIGNS[track.source] ?? ""}${track.title}`;
    lanes.push(new Lane({
      root: add({ title, kind: "own", name: track.name }), name: track.name, kind: "own", isPoints: track.is_points,
      describe: (segment) => describing.inLane(segment),
    }));
  }
  const { sound } = data.media ?? {};
  const proposed = lanes.find(({ kind, name }) => kind === "other" && name === "Proposed");
  return { lanes, labels, film, proposed, sound: sound ? new SoundLane({ root: add({ title: "Sound", kind: "sound" }), scale, sound }) : null };
}
