/** F1 opens the help of the page in another tab, wherever somebody works. */

document.addEventListener("keydown", (event) => {
  const link = document.querySelector("a[data-help]");
  if (event.key !== "F1" || !link || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  window.open(link.href, "help");
});
