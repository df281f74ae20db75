/** What was typed and is not sent yet, kept in this browser until the server has it. */

export class Draft {
  /** `empty` are the values while there is nothing to keep. */
  constructor(key, empty) {
    Object.assign(this, { key, empty, values: { ...empty } });
    try {
      Object.assign(this.values, JSON.parse(localStorage.getItem(key)));
    } catch {
      // Refused in some private windows: what was typed then lasts as long as the page.
    }
  }

  /** Tells whether it outlives the page. */
  keep(changes) {
    Object.assign(this.values, changes);
    try {
      if (Object.entries(this.empty).every(([name, value]) => this.values[name] === value)) localStorage.removeItem(this.key);
      else localStorage.setItem(this.key, JSON.stringify(this.values));
      return true;
    } catch {
      return false;
    }
  }
}

/** The draft of a form, whose fields stand as they were left. */
export class FormDraft extends Draft {
  constructor(form, key) {
    // A choice that nobody has made yet is in no FormData.
    const names = new Set(Array.from(form.elements, ({ name }) => name).filter(Boolean));
    const given = () => {
      const data = new FormData(form);
      return Object.fromEntries(Array.from(names, (name) => [name, data.get(name) ?? ""]));
    };
    super(key, given());
    this.form = form;
    for (const name of Object.keys(this.empty)) form.elements[name].value = this.values[name];
    form.addEventListener("input", () => this.keep(given()));
  }

  /** The server has it. */
  end() {
    this.form.reset();
    this.keep(this.empty);
  }
}
