/** What raters say besides answers: fields whose text is kept at every letter and sent when they rest. */

/** `data-remark` names the kind of a field; a comment belongs to the event that is shown. */
function eventOf(field, event) {
  return field.dataset.remark === "comment" ? event : null;
}

export function bindRemarks({ root, book, saver, currentEvent, onChange, onLeave }) {
  for (const field of root.querySelectorAll("[data-remark]")) {
    const metric = field.dataset.remark;
    const give = (value, how) => {
      const event = eventOf(field, currentEvent());
      const baseRevision = book.get(event, metric).revision;
      book.type(event, metric, value, null);
      how.call(saver, { event, metric, value, baseRevision });
      onChange();
    };
    if (field.type === "checkbox") {
      field.addEventListener("change", () => give(field.checked ? "yes" : null, saver.add));
      continue;
    }
    field.addEventListener("input", () => give(field.value.toWellFormed?.() ?? field.value, saver.draft));
    field.addEventListener("change", () => saver.sendDrafts());
    // The browser itself brings no more into view than the line with the caret.
    field.addEventListener("focus", () => field.scrollIntoView({ block: "nearest" }));
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || field.closest("dialog")) return;
      event.preventDefault();
      onLeave();
    });
  }
}

/** Put the texts of an event into their fields, and mark the events that have a comment. */
export function showRemarks({ root, book, event, isEditable }) {
  for (const field of root.querySelectorAll("[data-remark]")) {
    const value = book.get(eventOf(field, event), field.dataset.remark).value ?? "";
    if (field.type === "checkbox") field.checked = value !== "";
    else if (field.value !== value) field.value = value;
    if (field.type === "checkbox") field.disabled = !isEditable;
    else field.readOnly = !isEditable;
  }
  for (const chip of root.querySelectorAll("[data-event]")) {
    const index = chip.dataset.event === "" ? null : Number(chip.dataset.event);
    chip.querySelector("[data-commented]").hidden = !book.get(index, "comment").value;
  }
}
