/** What a tab keeps over a reload; nothing where the browser refuses that (some private windows). */

export function recall(name) {
  try {
    return sessionStorage.getItem(name);
  } catch {
    return null;
  }
}

/** `value` is a text, or null to forget. */
export function remember(name, value) {
  try {
    if (value === null) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, value);
  } catch {
    // It lasts as long as the page then.
  }
}
