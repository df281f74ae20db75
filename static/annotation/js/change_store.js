/** Changes that the server has not confirmed yet, kept in the browser until it has.
 *
 * They live in IndexedDB, or in localStorage where that is refused (some private windows). `scope`
 * names the account and the assignment, so nobody else's changes are ever seen or sent.
 */

const DATABASE = "piev";
const CHANGES = "changes";

export async function openChangeStore(scope) {
  try {
    return new IndexedStore(await openDatabase(), scope);
  } catch {
    return new LocalStore(scope);
  }
}

function openDatabase() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
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
  }

  all() {
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

  put(changes) {
    return this.write((store) => changes.forEach((change) => store.put({ ...change, scope: this.scope })));
  }

  remove(changes) {
    return this.write((store) => changes.forEach((change) => store.delete(change.id)));
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

  async all() {
    return inOrder(JSON.parse(localStorage.getItem(this.name) ?? "[]"));
  }

  async put(changes) {
    const ids = new Set(changes.map((change) => change.id));
    const others = (await this.all()).filter((change) => !ids.has(change.id));
    localStorage.setItem(this.name, JSON.stringify([...others, ...changes]));
  }

  async remove(changes) {
    const ids = new Set(changes.map((change) => change.id));
    const rest = (await this.all()).filter((change) => !ids.has(change.id));
    if (rest.length) localStorage.setItem(this.name, JSON.stringify(rest));
    else localStorage.removeItem(this.name);
  }
}
