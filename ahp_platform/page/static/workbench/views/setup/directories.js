// Where does the session work?

import { h } from "../../dom.js";
import { pathBelow } from "../../files/uris.js";

export class Directories {
  #app;
  #shown;
  element = h("ul", { class: "setup-list" });

  constructor(app) {
    this.#app = app;
  }

  update(directories) {
    if (directories === this.#shown) return;
    this.#shown = directories;
    const root = this.#app.replicas.defaultDirectory;
    const items = directories.map((uri) => h("li", {}, h("code", { title: uri }, pathBelow([root ?? ""], uri))));
    this.element.replaceChildren(...(items.length ? items : [h("li", { class: "hint" }, "None yet.")]));
  }
}
