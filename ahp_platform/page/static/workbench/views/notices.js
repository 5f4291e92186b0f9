// How does the page tell its person something: on the screen, and to a screen reader?

import { h, icon } from "../dom.js";

const SHOWN_MS = 10_000;

export class Notices {
  constructor(container, announcer) {
    this.container = container;
    this.announcer = announcer;
  }

  show(text) {
    const notice = h("div", { class: "notice" }, h("p", {}, text));
    notice.append(h("button", { type: "button", class: "quiet round", "aria-label": "Dismiss", onclick: () => notice.remove() }, icon("close")));
    this.container.append(notice);
    setTimeout(() => notice.remove(), SHOWN_MS);
  }

  announce(text) {
    this.announcer.textContent = text;
  }
}

const STATES = {
  connecting: "Connecting…",
  open: "Connected",
  waiting: "Trying again…",
  closed: "Not connected",
};

/** The state of the connection, and a bar across the page while it is broken. */
export class ConnectionState {
  #seen = false;

  constructor(pill, bar, retry) {
    this.pill = pill;
    this.bar = bar;
    bar.querySelector("button").addEventListener("click", retry);
  }

  update(state) {
    this.#seen ||= state === "open";
    this.pill.dataset.state = state;
    this.pill.querySelector("span").textContent = STATES[state];
    this.bar.hidden = state === "open" || (!this.#seen && state === "connecting");
  }
}
