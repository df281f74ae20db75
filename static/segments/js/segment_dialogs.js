/** Dialogs that ask something; each resolves to the answer, or to null when the person cancels. */

/** Open a dialog and wait for the value of the button that closes it. */
export function asked(dialog) {
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true });
  });
}

/** Which segment's label and text stay after a join: the key of one of two, or null. */
export async function askWords(dialog, first, second, keys) {
  dialog.querySelector("[data-words=first]").textContent = first;
  dialog.querySelector("[data-words=second]").textContent = second;
  const answer = await asked(dialog);
  return answer === "first" ? keys[0] : answer === "second" ? keys[1] : null;
}

/** By how many seconds so many later segments are moved, or null. */
export function askRipple(dialog, count, from) {
  const words = count === 1 ? "1 segment begins" : `${count} segments begin`;
  return askSeconds(dialog, "Move all later segments", `${words} at ${from} or later on this track. All of them move together.`);
}

/** By how many seconds the chosen segments are moved, or null. */
export function askMove(dialog, count) {
  return askSeconds(dialog, "Move the chosen segments", `${count} segments are chosen. All of them move together.`);
}

async function askSeconds(dialog, title, words) {
  dialog.querySelector("h2").textContent = title;
  dialog.querySelector("[data-count]").textContent = words;
  const field = dialog.querySelector("[name=by]");
  const problem = dialog.querySelector("[data-problem]");
  field.value = "";
  problem.textContent = "";
  const check = (event) => {
    if (event.submitter?.value !== "move" || Number(read(field.value))) return;
    event.preventDefault();
    problem.textContent = `“${field.value}” is no number of seconds, such as 2.0 or -0.5.`;
    field.focus();
  };
  const form = dialog.querySelector("form");
  form.addEventListener("submit", check);
  const answer = await asked(dialog);
  form.removeEventListener("submit", check);
  return answer === "move" ? Number(read(field.value)) : null;
}

/** Both signs for the decimal place, and both for less than 0. */
function read(text) {
  return text.trim().replace(",", ".").replace("−", "-");
}

/** Why a recording cannot be segmented: {reason, note}, or null. */
export async function askReject(dialog) {
  if (await asked(dialog) !== "reject") return null;
  return { reason: dialog.querySelector("[name=reason]:checked").value, note: dialog.querySelector("[name=note]").value.trim() };
}

/** The note for the author: {note}, or null. */
export async function askReturn(dialog) {
  return await asked(dialog) === "return" ? { note: dialog.querySelector("[name=note]").value.trim() } : null;
}

/** All segments with their changes; resolves to true to submit. */
export async function askPreview(dialog, { summary, cards }) {
  dialog.querySelector("[data-summary]").textContent = summary;
  dialog.querySelector("[data-cards]").replaceChildren(...cards);
  return await asked(dialog) === "submit";
}
