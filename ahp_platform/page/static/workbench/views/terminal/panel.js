// How are the terminals of a session shown: one tab each, one of them open?

import { h, icon, KeyedList, setText } from "../../dom.js";
import { openTerminal, terminalsOf } from "../../terminals.js";
import { TerminalView } from "./view.js";

export class Panel {
  #app;
  #session;
  #open = null;
  #views = new Map();
  #extra = new Map();
  #tabs;
  #place = h("div", { class: "terminal-place" });
  #empty;

  constructor(app, session) {
    this.#app = app;
    this.#session = session;
    const list = h("div", { class: "tabs", role: "tablist", "aria-label": "Terminals" });
    list.addEventListener("keydown", (event) => this.#key(event, list));
    this.#tabs = new KeyedList(list, ({ info }) => info.resource, ({ info }) => new Tab(info.resource, this.#deeds()));
    const create = app.canWrite ? h("button", { type: "button", class: "quiet round", "aria-label": "New terminal", title: "New terminal", onclick: () => this.#create() }, icon("plus")) : null;
    const begin = app.canWrite ? h("button", { type: "button", class: "primary", onclick: () => this.#create() }, "Open a terminal") : null;
    this.#empty = h("div", { class: "empty dock-empty" }, icon("terminal"), h("p", {}, app.canWrite ? "A shell in this session’s directory. Everybody in the session sees it and may type." : "No terminal is open in this session."), begin);
    this.element = h("div", { class: "dock-panel terminals" }, h("div", { class: "dock-head" }, list, create), this.#empty, this.#place);
  }

  #deeds() {
    return { canWrite: this.#app.canWrite, show: (uri) => this.show(uri), end: (uri, ended) => this.#end(uri, ended) };
  }

  update(state) {
    const listed = terminalsOf(this.#app, this.#session);
    // Once the host lists it, the list is what tells that it is gone.
    for (const { resource } of listed) this.#extra.delete(resource);
    const shown = [...listed, ...[...this.#extra.values()].filter(({ resource }) => !listed.some((other) => other.resource === resource))];
    if (!shown.some(({ resource }) => resource === this.#open)) this.#choose(shown.at(-1)?.resource ?? null);
    this.#tabs.update(shown.map((info) => ({ info, open: info.resource === this.#open })));
    this.#empty.hidden = shown.length > 0;
    this.#forgetAllBut(shown);
    this.#views.get(this.#open)?.update(state);
  }

  shown() {
    this.#views.get(this.#open)?.focus();
  }

  /** Show a terminal that is in no list, as those of a tool call. */
  showOther(resource, title) {
    this.#extra.set(resource, { resource, title, claim: {} });
    this.show(resource);
  }

  show(uri) {
    this.#choose(uri);
    this.#app.changed();
    this.#views.get(uri)?.focus();
  }

  close() {
    this.#forgetAllBut([]);
  }

  #choose(uri) {
    if (this.#open === uri) return;
    this.#open = uri;
    if (uri && !this.#views.has(uri)) this.#views.set(uri, new TerminalView(this.#app, uri));
    this.#place.replaceChildren(...(uri ? [this.#views.get(uri).element] : []));
  }

  #forgetAllBut(shown) {
    for (const [uri, view] of this.#views) {
      if (shown.some(({ resource }) => resource === uri)) continue;
      view.close();
      this.#views.delete(uri);
    }
  }

  async #create() {
    const size = this.#views.get(this.#open)?.room;
    const uri = await openTerminal(this.#app, this.#session, size);
    if (!uri) return;
    this.#extra.set(uri, { resource: uri, title: "Shell", claim: {} });
    this.show(uri);
  }

  async #end(uri, ended) {
    const sure = ended || (await this.#app.dialogs.confirm("End this terminal?", "Whatever runs in it ends, for everybody.", "End"));
    if (!sure) return;
    this.#extra.delete(uri);
    await this.#app.ask("disposeTerminal", { channel: uri });
    this.#app.changed();
  }

  #key(event, list) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    const tabs = [...list.querySelectorAll("[role=tab]")];
    const next = tabs[(tabs.indexOf(document.activeElement) + step + tabs.length) % tabs.length];
    next.click();
    next.focus();
  }
}

class Tab {
  #name = h("span", {});
  #ended = h("span", { class: "tab-note" });
  #info;

  constructor(uri, { canWrite, show, end }) {
    this.button = h("button", { type: "button", role: "tab", onclick: () => show(uri) }, icon("terminal"), this.#name, this.#ended);
    const close = canWrite ? h("button", { type: "button", class: "quiet round tab-close", "aria-label": "End this terminal", title: "End this terminal", onclick: () => end(uri, this.#info.exitCode !== undefined) }, icon("close")) : null;
    this.element = h("span", { class: "tab", role: "presentation" }, this.button, close);
  }

  update({ info, open }) {
    this.#info = info;
    setText(this.#name, info.title || "Terminal");
    setText(this.#ended, info.exitCode === undefined ? "" : `ended (${info.exitCode})`);
    this.button.setAttribute("aria-selected", String(open));
    this.button.tabIndex = open ? 0 : -1;
  }
}
