/** The guideline as a page: shows the sections in which a word stands, and where the page was opened. */

const sections = [...document.querySelectorAll("[data-guideline-section]")];
const field = document.querySelector("[data-guideline-search]");
const found = document.querySelector("[data-found]");

function search() {
  const words = field.value.trim().toLowerCase();
  let count = 0;
  for (const section of sections) {
    section.hidden = Boolean(words) && !section.textContent.toLowerCase().includes(words);
    if (!section.hidden) count += 1;
  }
  found.textContent = words ? `${count} of ${sections.length} questions` : "";
}

/** An address with the name of a question opens it: the section is in sight and has the focus. */
function openAtQuestion() {
  sections.find(({ id }) => `#${id}` === window.location.hash)?.focus();
}

field.addEventListener("input", search);
window.addEventListener("hashchange", openAtQuestion);
openAtQuestion();
