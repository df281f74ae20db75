/** A page of a researcher with players: the recordings, their steps, and the keys of watching. */

import { watchingBindings } from "./key_bindings.js";
import { Keys } from "./keys.js";
import { StepTable } from "./table.js";
import { watch } from "./watching.js";

/** The table scrolls within itself: the players stay where they are while the current row goes on. */
class WatchedRows extends StepTable {
  reveal(element) {
    const { top, bottom } = element.getBoundingClientRect();
    const frame = this.root.getBoundingClientRect();
    const head = this.root.querySelector("thead")?.offsetHeight ?? 0;
    if (top < frame.top + head) this.root.scrollTop += top - frame.top - head;
    else if (bottom > frame.bottom) this.root.scrollTop += bottom - frame.bottom;
  }
}

const data = JSON.parse(document.querySelector("#watching-data").textContent);
const rows = document.querySelector("#watched-rows, #steps");
const table = rows ? new WatchedRows(rows) : { mark() {}, current: null };
const currentEvent = () => data.rows[table.current]?.event ?? null;
const players = watch({ data, table, currentEvent });
table.addEventListener?.("choose", ({ detail: { row } }) => players.seek(row, data.rows[row]));

const keys = new Keys(watchingBindings({ players, data, currentEvent }));
keys.fill(document.querySelector("#keys-list"));
document.querySelector("#show-keys").addEventListener("click", () => document.querySelector("#keys-dialog").showModal());
document.documentElement.dataset.ready = "true";
