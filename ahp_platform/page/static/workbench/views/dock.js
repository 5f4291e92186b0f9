// What lies beside the conversation: the files, the terminals and the setup of the session, one at a time and each loaded when asked for.

import { h, icon } from "../dom.js";

const PANELS = [
  { name: "files", label: "Files", load: () => import("./files/panel.js") },
  { name: "terminal", label: "Terminals", load: () => import("./terminal/panel.js") },
  { name: "setup", label: "Setup", load: () => import("./setup/panel.js") },
];
const REMEMBERED = "ahp.dock";
const SIZE = "ahp.dock.share";
const LEAST_SHARE = 25;
const MOST_SHARE = 75;
const STEP = 4;
const NARROW = matchMedia("(max-width: 47.5rem)");

let stylesheet = null;

/** The stylesheet of everything in here comes with the first panel. */
export function dressed() {
  stylesheet ??= new Promise((resolve) => {
    const href = new URL("../css/dock.css", import.meta.url).href;
    document.head.append(h("link", { rel: "stylesheet", href, onload: resolve, onerror: resolve }));
  });
  return stylesheet;
}

export class Dock {
  #app;
  #session;
  #state;
  #open = null;
  #made = new Map();
  #buttons = new Map();

  constructor(app, session) {
    this.#app = app;
    this.#session = session;
    this.element = h("aside", { class: "dock", hidden: true });
    this.buttons = h("div", { class: "dock-buttons", role: "group", "aria-label": "Beside the conversation" }, PANELS.map((panel) => this.#button(panel)));
    this.splitter = h("div", { class: "splitter", role: "separator", tabindex: 0, hidden: true, "aria-orientation": "vertical", "aria-label": "Width of what lies beside the conversation" });
    this.splitter.addEventListener("pointerdown", (event) => this.#drag(event));
    this.splitter.addEventListener("keydown", (event) => this.#resizeByKey(event));
    this.#resize(Number(localStorage.getItem(SIZE)) || 50);
    const before = sessionStorage.getItem(REMEMBERED);
    if (before && !NARROW.matches) this.show(before);
  }

  #button({ name, label }) {
    const button = h("button", { type: "button", class: "quiet dock-button", "aria-pressed": "false", "aria-label": label, title: label, onclick: () => this.#toggle(name) }, icon(name), h("span", {}, label));
    this.#buttons.set(name, button);
    return button;
  }

  update(state) {
    this.#state = state;
    this.#made.get(this.#open)?.update(state);
  }

  /** Resolves with the panel, or undefined where it could not be loaded. */
  async show(name) {
    const panel = PANELS.find((known) => known.name === name);
    if (!panel) return undefined;
    this.#opened(name);
    try {
      return await this.#make(panel);
    } catch {
      this.element.replaceChildren(h("p", { class: "empty" }, "This part of the page could not be loaded. Check the connection and try again."));
      return undefined;
    }
  }

  async #make({ name, load }) {
    if (!this.#made.has(name)) {
      this.element.replaceChildren(h("p", { class: "empty", role: "status" }, "Loading…"));
      await dressed();
      const { Panel } = await load();
      if (!this.#made.has(name)) this.#made.set(name, new Panel(this.#app, this.#session, this));
    }
    const made = this.#made.get(name);
    if (this.#open !== name) return made;
    this.element.replaceChildren(made.element);
    if (this.#state) made.update(this.#state);
    made.shown();
    return made;
  }

  /** On a narrow screen the conversation comes back to the front. */
  makeRoom() {
    if (NARROW.matches && this.#open) this.hide();
  }

  hide() {
    sessionStorage.removeItem(REMEMBERED);
    this.#open = null;
    this.#mark();
  }

  close() {
    for (const panel of this.#made.values()) panel.close();
    this.#made.clear();
  }

  #toggle(name) {
    if (this.#open === name) this.hide();
    else this.show(name);
  }

  #opened(name) {
    sessionStorage.setItem(REMEMBERED, name);
    this.#open = name;
    this.#mark();
  }

  #mark() {
    this.element.hidden = this.splitter.hidden = this.#open === null;
    this.element.setAttribute("aria-label", PANELS.find(({ name }) => name === this.#open)?.label ?? "");
    for (const [name, button] of this.#buttons) button.setAttribute("aria-pressed", String(name === this.#open));
  }

  #drag(event) {
    event.preventDefault();
    const { left, width } = this.splitter.parentElement.getBoundingClientRect();
    const move = ({ clientX }) => this.#resize(100 - ((clientX - left) / width) * 100);
    const end = () => this.splitter.removeEventListener("pointermove", move);
    this.splitter.setPointerCapture(event.pointerId);
    this.splitter.addEventListener("pointermove", move);
    this.splitter.addEventListener("pointerup", end, { once: true });
    this.splitter.addEventListener("pointercancel", end, { once: true });
  }

  #resizeByKey(event) {
    const step = { ArrowLeft: STEP, ArrowRight: -STEP }[event.key];
    if (!step) return;
    event.preventDefault();
    this.#resize(Number(this.splitter.getAttribute("aria-valuenow")) + step);
  }

  #resize(share) {
    const rounded = Math.round(Math.min(MOST_SHARE, Math.max(LEAST_SHARE, share)));
    this.element.style.setProperty("--share", `${rounded}%`);
    this.splitter.setAttribute("aria-valuenow", String(rounded));
    localStorage.setItem(SIZE, String(rounded));
  }
}
