// Which sessions does this tenant have? A list that the host's notifications keep current, the most recently changed first.

import { ROOT } from "./channels/root.js";

const PAGE = 50;

/** Event: "change". */
export class Sessions extends EventTarget {
  #byUri = new Map();
  #cursor;
  loaded = false;

  constructor(replicas, wire) {
    super();
    this.wire = wire;
    replicas.addEventListener("root/sessionAdded", ({ detail }) => this.#put(detail.summary));
    replicas.addEventListener("root/sessionRemoved", ({ detail }) => this.#remove(detail.session));
    replicas.addEventListener("root/sessionSummaryChanged", ({ detail }) => this.#patch(detail.session, detail.changes));
  }

  get items() {
    return [...this.#byUri.values()].sort((one, other) => Date.parse(other.modifiedAt) - Date.parse(one.modifiedAt));
  }

  get hasMore() {
    return this.#cursor !== undefined;
  }

  get(uri) {
    return this.#byUri.get(uri);
  }

  /** Ask again from the start: notifications that we missed are never repeated. */
  async load() {
    this.#cursor = undefined;
    const { items, nextCursor } = await this.wire.request("listSessions", { channel: ROOT, limit: PAGE });
    this.#byUri = new Map(items.map((item) => [item.resource, item]));
    this.#loaded(nextCursor);
  }

  async loadMore() {
    const page = { limit: PAGE, cursor: this.#cursor };
    const { items, nextCursor } = await this.wire.request("listSessions", { channel: ROOT, ...page });
    for (const item of items) this.#byUri.set(item.resource, item);
    this.#loaded(nextCursor);
  }

  #loaded(cursor) {
    this.#cursor = cursor;
    this.loaded = true;
    this.dispatchEvent(new CustomEvent("change"));
  }

  #put(summary) {
    this.#byUri.set(summary.resource, summary);
    this.dispatchEvent(new CustomEvent("change"));
  }

  #remove(uri) {
    if (this.#byUri.delete(uri)) this.dispatchEvent(new CustomEvent("change"));
  }

  #patch(uri, changes) {
    const known = this.#byUri.get(uri);
    if (!known) return;
    // Here `null` means that the field was cleared; a field that is missing did not change.
    const merged = Object.entries({ ...known, ...changes }).filter(([, value]) => value !== null);
    this.#put(Object.fromEntries(merged));
  }
}
