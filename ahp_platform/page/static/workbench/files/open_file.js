// What is known about a file that is open: what was read, which version that was, what has been typed since, and what others did to it?

import { ROOT } from "../channels/root.js";
import { RpcError } from "../wire.js";
import { shownName } from "./uris.js";

const CONFLICT = -32011;
const NOT_FOUND = -32008;
const LARGEST_TEXT = 4 * 1024 * 1024;
const LARGEST_PICTURE = 8 * 1024 * 1024;

/**
 * Event: "change". `kind` is loading | text | image | binary | big | failed. `news` is what happened to the file outside of this page:
 * changed | deleted | conflict (somebody changed it, and saving was refused), or null.
 */
export class OpenFile extends EventTarget {
  #wire;
  #etag;
  #isSure = true;
  #looking = null;
  kind = "loading";
  news = null;
  saved = "";
  text = "";
  saving = false;
  wasSaved = false;

  constructor(wire, uri) {
    super();
    this.#wire = wire;
    this.uri = uri;
    this.name = shownName(uri);
  }

  get isDirty() {
    return this.kind === "text" && this.text !== this.saved;
  }

  /** Read it, also again. What was typed is lost. */
  async load() {
    try {
      const { type, size = 0, etag, contentType } = await this.#ask("resourceResolve", {});
      if (type === "directory") return this.#become("failed", { problem: "This is a directory." });
      this.size = size;
      this.contentType = contentType;
      const isPicture = contentType?.startsWith("image/");
      if (size > (isPicture ? LARGEST_PICTURE : LARGEST_TEXT)) return this.#become("big");
      const body = await this.#ask("resourceRead", isPicture ? { encoding: "base64" } : {});
      this.#etag = etag;
      return this.#read(body, isPicture);
    } catch (error) {
      return this.#become("failed", { error });
    }
  }

  #read({ data, encoding }, isPicture) {
    if (isPicture && encoding === "base64") return this.#become("image", { source: `data:${this.contentType};base64,${data}` });
    if (encoding !== "utf-8") return this.#become("binary");
    // An editor has one kind of line end; the file keeps its own.
    this.lineEnd = data.includes("\r\n") ? "\r\n" : "\n";
    const text = data.replaceAll("\r\n", "\n");
    return this.#become("text", { saved: text, text });
  }

  /** Typed by the person. */
  edit(text) {
    const dirty = this.isDirty;
    this.text = text;
    if (dirty !== this.isDirty) this.#tell();
  }

  /** Resolves with true when it is saved; false on a conflict, which `news` then says. Raises other errors. */
  async save({ overwrite = false } = {}) {
    const { text } = this;
    this.saving = true;
    this.#tell();
    try {
      await this.#ask("resourceWrite", { data: this.#onDisk(text), encoding: "utf-8", ...(overwrite ? {} : { ifMatch: this.#etag }) });
      const { etag } = await this.#ask("resourceResolve", {});
      Object.assign(this, { saved: text, news: null, wasSaved: true });
      this.#etag = etag;
      // Between our writing and our asking somebody else may have written: the watch's next word has us compare.
      this.#isSure = false;
      return true;
    } catch (error) {
      if (!(error instanceof RpcError) || error.code !== CONFLICT) throw error;
      this.news = "conflict";
      return false;
    } finally {
      this.saving = false;
      this.#tell();
    }
  }

  #onDisk(text) {
    return this.lineEnd === "\r\n" ? text.replaceAll("\n", "\r\n") : text;
  }

  /** What stands on the disk now, for a comparison; null where it is no text any more. */
  async theirs() {
    const { data, encoding } = await this.#ask("resourceRead", {});
    return encoding === "utf-8" ? data.replaceAll("\r\n", "\n") : null;
  }

  /** A watch says that something happened to it. Untouched text follows by itself; what was typed is never thrown away. */
  touched() {
    this.#looking ??= this.#look().finally(() => (this.#looking = null));
    return this.#looking;
  }

  async #look() {
    if (this.saving || this.kind === "loading") return;
    try {
      const { etag } = await this.#ask("resourceResolve", {});
      if (this.saving || (etag === this.#etag && (await this.#isOurs()))) return;
      if (this.isDirty) this.#say("changed");
      else {
        await this.load();
        this.#say("followed");
      }
    } catch (error) {
      if (error instanceof RpcError && error.code === NOT_FOUND) this.#say("deleted");
    }
  }

  async #isOurs() {
    this.#isSure ||= (await this.theirs()) === this.saved;
    return this.#isSure;
  }

  dismiss() {
    this.#say(null);
  }

  #say(news) {
    this.news = news;
    this.#tell();
  }

  #ask(method, rest) {
    return this.#wire.request(method, { channel: ROOT, uri: this.uri, ...rest });
  }

  #become(kind, more = {}) {
    Object.assign(this, { kind, news: null, problem: undefined, error: undefined, ...more });
    this.#tell();
  }

  #tell() {
    this.dispatchEvent(new CustomEvent("change"));
  }
}
