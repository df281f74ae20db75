// The page of a take's clips: counts characters, and asks before typed text would be lost.

const fields = [...document.querySelectorAll("textarea[data-limit]")];

function isChanged(field) {
  return field.value.trim() !== field.dataset.saved.trim();
}

function show(field) {
  const length = field.value.trim().length;
  const shown = field.closest("form").querySelector("[data-length]");
  shown.textContent = String(length);
  shown.classList.toggle("over", length > Number(field.dataset.limit));
}

for (const field of fields) {
  field.addEventListener("input", () => show(field));
  show(field);
}

// Whatever form is sent, the text of another field would go with the page.
let sent = null;
document.addEventListener("submit", (event) => {
  sent = event.target;
});
window.addEventListener("beforeunload", (event) => {
  if (fields.some((field) => field.form !== sent && isChanged(field))) event.preventDefault();
});
