// How is the session set up: placeholder until the real one is written.

import { h } from "../../dom.js";

export class Panel {
  element = h("div", { class: "dock-panel" });

  update() {}

  shown() {}

  close() {}
}
