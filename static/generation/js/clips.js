// The page of a take's clips: counts the characters of prompts.

const fields = [...document.querySelectorAll("textarea[data-limit]")];

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
