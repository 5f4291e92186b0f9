// How do uploads show that they go on, and how are they stopped?

import { h, icon, setText } from "../../dom.js";
import { Stopped, upload } from "../../files/transfer.js";
import { shown } from "../../files/uris.js";
import { errorText, size } from "../../words.js";

const DONE_SHOWN_MS = 2_500;

export class Uploads {
  #app;
  #line = Promise.resolve();
  element = h("ul", { class: "uploads", "aria-label": "Uploads" });

  constructor(app) {
    this.#app = app;
  }

  /** One after the other; resolves when all are done, failed or stopped. */
  add(files, directory) {
    for (const file of files) {
      const row = new Upload(file);
      this.element.append(row.element);
      this.#line = this.#line.then(() => this.#send(row, file, directory));
    }
    return this.#line;
  }

  async #send(row, file, directory) {
    const name = shown(file.name);
    const mayReplace = () => this.#app.dialogs.confirm(`Replace ${name}?`, "A file of this name is there already.", "Replace");
    try {
      if (row.signal.aborted) throw new Stopped();
      await upload(this.#app.wire, directory, file, { onProgress: (bytes) => row.progress(bytes), mayReplace, signal: row.signal });
      row.end("Uploaded");
      this.#app.announce(`${name} is uploaded.`);
      setTimeout(() => row.element.remove(), DONE_SHOWN_MS);
    } catch (error) {
      if (error instanceof Stopped) row.element.remove();
      else row.end(`Not uploaded: ${errorText(error)}`, true);
    }
  }
}

class Upload {
  #file;
  #stop = new AbortController();
  #bar;
  #state = h("span", { class: "upload-state" });

  constructor(file) {
    this.#file = file;
    const name = shown(file.name);
    this.#bar = h("progress", { max: Math.max(1, file.size), value: 0, "aria-label": `Upload of ${name}` });
    const stop = h("button", { type: "button", class: "quiet round", "aria-label": `Stop the upload of ${name}`, title: "Stop", onclick: () => this.#stopped() }, icon("close"));
    this.element = h("li", {}, h("span", { class: "upload-name" }, name), this.#bar, this.#state, stop);
    setText(this.#state, "Waiting");
  }

  get signal() {
    return this.#stop.signal;
  }

  progress(bytes) {
    this.#bar.value = bytes;
    setText(this.#state, `${size(bytes)} of ${size(this.#file.size)}`);
  }

  end(text, failed = false) {
    this.#bar.value = failed ? 0 : this.#bar.max;
    this.element.classList.toggle("failed", failed);
    this.ended = true;
    setText(this.#state, text);
  }

  #stopped() {
    this.#stop.abort();
    if (this.ended) this.element.remove();
  }
}
