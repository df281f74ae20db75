/** The menu: its current page is in sight where it has one line; F1 opens the help in another tab. */

const menu = document.querySelector(".menu");
const current = menu?.querySelector("[aria-current]");
if (current) menu.scrollLeft = current.offsetLeft + current.offsetWidth - menu.offsetLeft - menu.clientWidth / 2;

document.addEventListener("keydown", (event) => {
  const link = document.querySelector("a[data-help]");
  if (event.key !== "F1" || !link || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  window.open(link.href, "help");
});
