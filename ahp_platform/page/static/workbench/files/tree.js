// What is in the session's directories? Listed when it is looked at, and listed again when the host's watch says that it changed.

import { ROOT } from "../channels/root.js";
import { childUri, isWithin, parentUri } from "./uris.js";

const GATHER_MS = 80;
const SHOWN_AT_ONCE = 500;
// What programs put beside what people wrote: listed, but not watched in depth.
const UNWATCHED = [".git/**", "**/node_modules/**", "**/__pycache__/**", "**/.venv/**"];
const ORDER = { directory: 0, symlink: 1, file: 1 };
const byName = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

const reduceWatch = (state) => state;

/** Events: "change", and "touched" (detail: [{uri, type}], or null where anything may have changed). */
export class FileTree extends EventTarget {
  #app;
  #roots = [];
  #listed = new Map();
  #asked = new Map();
  #open = new Set();
  #limits = new Map();
  #watches = new Map();
  #stale = new Set();
  #timer = 0;
  #closed = false;

  constructor(app) {
    super();
    this.#app = app;
    app.replicas.addEventListener("applied", this.#applied);
    app.replicas.addEventListener("gone", this.#gone);
    app.replicas.addEventListener("ready", this.#ready);
  }

  get roots() {
    return this.#roots;
  }

  /** Look at these directories; the same ones again cost nothing. */
  show(roots) {
    if (roots.length === this.#roots.length && roots.every((root, at) => root === this.#roots[at])) return;
    for (const root of this.#roots) if (!roots.includes(root)) this.#unwatch(root);
    this.#roots = [...roots];
    for (const root of roots) {
      this.#open.add(root);
      this.#watch(root);
      this.#list(root);
    }
  }

  /** What is visible, top to bottom: {uri, name, kind, level, expanded, loading, error} and, where there is more, {more, uri, level}. */
  rows() {
    if (this.#roots.length === 1) return this.#below(this.#roots[0], 1);
    return this.#roots.flatMap((root) => this.#row(root, { name: undefined, type: "directory" }, 1));
  }

  /** How the one root is doing: {loading, error, empty}. */
  get health() {
    const listed = this.#roots.length === 1 ? this.#listed.get(this.#roots[0]) : undefined;
    return { loading: this.#roots.length === 1 && !listed, error: listed?.error, empty: listed?.entries?.length === 0 };
  }

  isOpen(uri) {
    return this.#open.has(uri);
  }

  names(directory) {
    return (this.#listed.get(directory)?.entries ?? []).map(({ name }) => name);
  }

  toggle(uri, open = !this.#open.has(uri)) {
    if (open) this.#open.add(uri);
    else this.#open.delete(uri);
    if (open) this.#list(uri);
    this.#changed();
  }

  showMore(uri) {
    this.#limits.set(uri, (this.#limits.get(uri) ?? SHOWN_AT_ONCE) + SHOWN_AT_ONCE);
    this.#changed();
  }

  /** Open every directory that leads to this file. */
  reveal(uri) {
    const root = this.#roots.find((one) => isWithin(one, uri));
    for (let up = parentUri(uri); root && isWithin(root, up); up = parentUri(up)) if (!this.#open.has(up)) this.toggle(up, true);
  }

  refresh() {
    for (const uri of this.#listed.keys()) this.#stale.add(uri);
    this.#settle();
  }

  /** List this directory again now: something was done in it from here. */
  relist(uri) {
    return this.#list(uri);
  }

  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#app.replicas.removeEventListener("applied", this.#applied);
    this.#app.replicas.removeEventListener("gone", this.#gone);
    this.#app.replicas.removeEventListener("ready", this.#ready);
    for (const root of this.#roots) this.#unwatch(root);
  }

  #below(directory, level) {
    const listed = this.#listed.get(directory);
    if (!listed?.entries) return [];
    const limit = this.#limits.get(directory) ?? SHOWN_AT_ONCE;
    const rows = listed.entries.slice(0, limit).flatMap((entry) => this.#row(childUri(directory, entry.name), entry, level));
    if (listed.entries.length > limit) rows.push({ uri: directory, more: listed.entries.length - limit, level });
    return rows;
  }

  #row(uri, { name, type }, level) {
    const expanded = type === "directory" ? this.#open.has(uri) : undefined;
    const listed = expanded ? this.#listed.get(uri) : undefined;
    const row = { uri, name, kind: type, level, expanded, loading: expanded && !listed, error: listed?.error };
    return expanded ? [row, ...this.#below(uri, level + 1)] : [row];
  }

  async #list(uri) {
    // Answers may overtake each other: the one to the latest question counts.
    const question = (this.#asked.get(uri) ?? 0) + 1;
    this.#asked.set(uri, question);
    try {
      const { entries } = await this.#app.wire.request("resourceList", { channel: ROOT, uri });
      if (this.#asked.get(uri) !== question) return;
      const sorted = entries.sort((one, other) => ORDER[one.type] - ORDER[other.type] || byName.compare(one.name, other.name));
      this.#listed.set(uri, { entries: sorted });
    } catch (error) {
      if (this.#asked.get(uri) !== question) return;
      const before = this.#listed.get(uri);
      this.#listed.set(uri, { ...before, error });
    }
    this.#changed();
  }

  async #watch(root) {
    const ask = (recursive) =>
      this.#app.wire.request("createResourceWatch", { channel: ROOT, uri: root, recursive, excludes: { items: UNWATCHED } });
    try {
      // Too much to be watched in depth: at least what lies on top.
      const { channel } = await ask(true).catch((error) => (error.code === -32602 ? ask(false) : Promise.reject(error)));
      this.#watches.set(root, channel);
      await this.#app.replicas.open(channel, reduceWatch);
      if (this.#closed || !this.#roots.includes(root)) return this.#unwatch(root);
      // What happened after the first look and before the watch stood was told by nobody.
      this.#stale.add(root);
      this.refresh();
    } catch {
      // The tree still shows what is there; the button to look again remains.
      this.#watches.delete(root);
    }
  }

  #unwatch(root) {
    const channel = this.#watches.get(root);
    this.#watches.delete(root);
    if (channel) this.#app.replicas.close(channel);
  }

  #applied = ({ detail: { uri, action } }) => {
    if (action.type !== "resourceWatch/changed" || ![...this.#watches.values()].includes(uri)) return;
    const { items } = action.changes;
    const lost = action._meta?.overflow === true;
    for (const change of items) {
      for (const place of [change.uri, parentUri(change.uri)]) if (this.#listed.has(place)) this.#stale.add(place);
    }
    if (lost) this.refresh();
    else this.#settle();
    this.dispatchEvent(new CustomEvent("touched", { detail: lost ? null : items }));
  };

  #gone = ({ detail }) => {
    for (const [root, channel] of this.#watches) if (channel === detail) this.#watches.delete(root);
  };

  /** The connection is back. A watch that did not outlive it is made anew, and what happened meanwhile is looked up. */
  #ready = () => {
    const lost = this.#roots.filter((root) => !this.#watches.has(root));
    if (!lost.length) return;
    for (const root of lost) this.#watch(root);
    this.refresh();
    this.dispatchEvent(new CustomEvent("touched", { detail: null }));
  };

  #settle() {
    this.#timer ||= setTimeout(async () => {
      const stale = [...this.#stale];
      this.#stale.clear();
      await Promise.all(stale.map((uri) => this.#relistOrForget(uri)));
      this.#timer = 0;
      if (this.#stale.size && !this.#closed) this.#settle();
    }, GATHER_MS);
  }

  #relistOrForget(uri) {
    if (this.#open.has(uri)) return this.#list(uri);
    this.#listed.delete(uri);
    return undefined;
  }

  #changed() {
    if (!this.#closed) this.dispatchEvent(new CustomEvent("change"));
  }
}
