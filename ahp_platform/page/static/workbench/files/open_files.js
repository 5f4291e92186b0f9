// Which files are being edited in this page? What is not saved outlives the view that it was typed in, and holds the page back from closing.

import { OpenFile } from "./open_file.js";

export class OpenFiles {
  #wire;
  #files = new Map();

  constructor(wire) {
    this.#wire = wire;
    window.addEventListener("beforeunload", (event) => {
      if (this.unsaved.length) event.preventDefault();
    });
  }

  get unsaved() {
    return [...this.#files.values()].filter((file) => file.isDirty);
  }

  /** The file as it was left, if there is something unsaved in it, else read anew. */
  open(uri) {
    const held = this.#files.get(uri);
    if (held?.isDirty) return held;
    const file = new OpenFile(this.#wire, uri);
    this.#files.set(uri, file);
    return file;
  }

  /** What was typed into it goes. */
  forget(uri) {
    this.#files.delete(uri);
  }
}
