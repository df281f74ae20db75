/** What is kept in the browser: changes until the server has them, and gestures to take back.
 *
 * Both live in IndexedDB, or in localStorage where that is refused (some private windows). `scope`
 * names the account and what is worked on, so nobody else's changes are ever seen or sent.
 *
 * A page that is left takes what still waits for the disk along: a busy disk is slower than a hand
 * that types and leaves. That goes to localStorage, which is written at once, and from there to
 * IndexedDB at the next visit.
 */

const DATABASE = "piev";
// Not a second store of the same database: making that one waits until every page that was opened
// before it came is closed, and until then nothing at all could be kept.
const UNDO_DATABASE = "piev-undo";
const CHANGES = "changes";
const UNDO_KEPT_MS = 14 * 24 * 3_600_000;

export function openChangeStore(scope) {
  return openStore(DATABASE, scope);
}

/** The gestures of one tab that can be taken back; those of tabs that are long closed are thrown away. */
export async function openUndoStore(scope) {
  const store = await openStore(UNDO_DATABASE, `undo:${scope}`);
  await store.removeOlder?.((Date.now() - UNDO_KEPT_MS) * 1000).catch(() => {});
  return store;
}

async function openStore(name, scope) {
  try {
    const store = new IndexedStore(await openDatabase(name), scope);
    await store.all();
    return store;
  } catch {
    return new LocalStore(scope);
  }
}

function openDatabase(name) {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => {
      const store = request.result.createObjectStore(CHANGES, { keyPath: "id" });
      store.createIndex("scope", "scope");
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error("the database is in use by an older page"));
  });
}

function inOrder(changes) {
  return changes.sort((first, second) => first.order - second.order);
}

class IndexedStore {
  constructor(database, scope) {
    this.database = database;
    this.scope = scope;
    this.unwritten = new Map();
    this.aside = new LocalStore(`left:${scope}`);
    this.isLeft = false;
    window.addEventListener("pagehide", () => {
      this.isLeft = true;
      this.putAside();
    });
    window.addEventListener("pageshow", () => { this.isLeft = false; });
  }

  async all() {
    const left = this.aside.read();
    if (left.length) {
      const kept = new Map((await this.read()).map((change) => [change.id, change]));
      // A change that was sent meanwhile is sent once more, which the server takes as one.
      await this.put(left.filter(({ id, order }) => order >= (kept.get(id)?.order ?? 0)));
      await this.aside.remove(left);
    }
    return this.read();
  }

  read() {
    return new Promise((resolve, reject) => {
      const request = this.database
        .transaction(CHANGES)
        .objectStore(CHANGES)
        .index("scope")
        .getAll(this.scope);
      request.onsuccess = () => resolve(inOrder(request.result));
      request.onerror = () => reject(request.error);
    });
  }

  async put(changes) {
    for (const change of changes) this.unwritten.set(change.id, change);
    if (this.isLeft) this.putAside();
    await this.write((store) => {
      changes.forEach((change) => store.put({ ...change, scope: this.scope }));
      // Not when the page gets round to it: one that is being left never would.
      store.transaction.commit();
    });
    for (const change of changes) if (this.unwritten.get(change.id) === change) this.unwritten.delete(change.id);
  }

  putAside() {
    if (this.unwritten.size) this.aside.put([...this.unwritten.values()]).catch(() => {});
  }

  remove(changes) {
    changes.forEach(({ id }) => this.unwritten.delete(id));
    return this.write((store) => {
      changes.forEach((change) => store.delete(change.id));
      store.transaction.commit();
    });
  }

  /** Remove what is older than an order, of every scope. */
  removeOlder(order) {
    return this.write((store) => {
      store.openCursor().onsuccess = ({ target: { result: cursor } }) => {
        if (!cursor) return;
        if (cursor.value.order < order) cursor.delete();
        cursor.continue();
      };
    });
  }

  write(work) {
    return new Promise((resolve, reject) => {
      const transaction = this.database.transaction(CHANGES, "readwrite", { durability: "strict" });
      work(transaction.objectStore(CHANGES));
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error);
    });
  }
}

class LocalStore {
  constructor(scope) {
    this.name = `piev:${scope}`;
  }

  read() {
    try {
      return JSON.parse(localStorage.getItem(this.name)) ?? [];
    } catch {
      return []; // Nothing at all can be kept here; writing says so.
    }
  }

  without(changes) {
    const ids = new Set(changes.map((change) => change.id));
    return this.read().filter((change) => !ids.has(change.id));
  }

  async all() {
    return inOrder(this.read());
  }

  // Read and written in one go: nothing that is put meanwhile is lost, nor what the page leaves on.
  async put(changes) {
    localStorage.setItem(this.name, JSON.stringify([...this.without(changes), ...changes]));
  }

  async remove(changes) {
    const rest = this.without(changes);
    if (rest.length) localStorage.setItem(this.name, JSON.stringify(rest));
    else localStorage.removeItem(this.name);
  }
}
