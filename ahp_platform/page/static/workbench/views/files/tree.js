// How is the tree of files shown: rows that open, work by keyboard, take dropped files, and have a menu each?

import { h, icon, KeyedList, setText } from "../../dom.js";
import { parentUri, shown, shownName } from "../../files/uris.js";
import { errorText } from "../../words.js";
import { popupMenu } from "../popup_menu.js";

const PICTURES = /\.(png|jpe?g|gif|webp|svg|avif|bmp|ico)$/i;

export class TreeView {
  #tree;
  #deeds;
  #rows = [];
  #list;
  #current;
  #open;

  /** `deeds`: {canWrite, open(uri, kind), menu(row) → items, rename(row), remove(row), drop(files, directory)}. */
  constructor(tree, deeds) {
    this.#tree = tree;
    this.#deeds = deeds;
    this.element = h("div", { class: "tree", role: "tree", "aria-label": "Files" });
    this.#list = new KeyedList(this.element, (row) => `${row.more ? "more " : ""}${row.uri}`, (row) => (row.more ? new MoreRow(tree) : new Row(this.#rowDeeds())));
    this.element.addEventListener("keydown", (event) => this.#key(event));
    this.element.addEventListener("focusin", ({ target }) => this.#focused(target.closest("[data-uri]")?.dataset.uri));
    if (deeds.canWrite) this.#takeDrops();
  }

  /** `open`: the file that is shown beside the tree. */
  update(open) {
    this.#open = open;
    this.#rows = this.#tree.rows();
    const reachable = this.#rows.some(({ uri, more }) => uri === this.#current && !more);
    if (!reachable) this.#current = this.#rows[0]?.uri;
    this.#list.update(this.#rows.map((row) => ({ ...row, current: row.uri === this.#current, open: row.uri === open })));
  }

  #rowDeeds() {
    return {
      canWrite: this.#deeds.canWrite,
      activate: (row) => this.#activate(row),
      menu: (row, at, home) => popupMenu(this.#deeds.menu(row), at, home),
    };
  }

  #activate(row) {
    this.#current = row.uri;
    if (row.kind === "directory") this.#tree.toggle(row.uri);
    else this.#deeds.open(row.uri, row.kind);
  }

  #focused(uri) {
    if (!uri || uri === this.#current) return;
    this.#current = uri;
    this.update(this.#open);
  }

  #key(event) {
    const item = event.target.closest("[role=treeitem]");
    if (!item || event.target !== item || event.altKey || event.ctrlKey || event.metaKey) return;
    const at = this.#rows.findIndex(({ uri, more }) => uri === item.dataset.uri && !more);
    const handled = this.#keyOn(event.key, this.#rows[at], at);
    if (handled) event.preventDefault();
  }

  #keyOn(key, row, at) {
    const go = (to) => this.#focus(to) || true;
    const keys = {
      ArrowDown: () => go(at + 1),
      ArrowUp: () => go(at - 1),
      Home: () => go(0),
      End: () => go(this.#rows.length - 1),
      ArrowRight: () => (row.expanded === false ? this.#activate(row) || true : row.expanded ? go(at + 1) : true),
      ArrowLeft: () => (row.expanded ? this.#activate(row) || true : go(this.#rows.findIndex(({ uri }) => uri === parentUri(row.uri)))),
      Enter: () => this.#activate(row) || true,
      " ": () => this.#activate(row) || true,
      F2: () => this.#deeds.canWrite && (this.#deeds.rename(row) || true),
      Delete: () => this.#deeds.canWrite && (this.#deeds.remove(row) || true),
    };
    return keys[key]?.() ?? false;
  }

  #focus(at) {
    const row = this.#rows[at];
    if (!row) return;
    const items = [...this.element.children];
    items[at]?.querySelector("button.link")?.focus();
    if (!row.more) items[at]?.focus();
  }

  #takeDrops() {
    let over = null;
    const mark = (element) => {
      over?.classList.remove("drop");
      over = element;
      over?.classList.add("drop");
    };
    this.element.addEventListener("dragover", (event) => {
      if (!event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      mark(this.#directoryElement(event.target) ?? this.element);
    });
    this.element.addEventListener("dragleave", (event) => {
      if (!this.element.contains(event.relatedTarget)) mark(null);
    });
    this.element.addEventListener("drop", (event) => {
      event.preventDefault();
      const directory = over?.dataset.uri ?? this.#tree.roots[0];
      mark(null);
      this.#deeds.drop([...event.dataTransfer.files], directory);
    });
  }

  #directoryElement(target) {
    const uri = target.closest?.("[data-uri]")?.dataset.uri;
    const row = this.#rows.find((one) => one.uri === uri && !one.more);
    const directory = row?.kind === "directory" ? uri : uri && parentUri(uri);
    return [...this.element.children].find((item) => item.dataset.uri === directory);
  }
}

class Row {
  #deeds;
  #row;
  #icon = null;
  #twisty = h("span", { class: "twisty" });
  #picture = h("span", { class: "tree-icon" });
  #name = h("span", { class: "tree-name" });
  #note = h("span", { class: "tree-note" });

  constructor(deeds) {
    this.#deeds = deeds;
    const more = h("button", { type: "button", class: "quiet round tree-more", tabindex: -1, onclick: (event) => this.#menu(event.currentTarget) }, icon("more"));
    this.more = more;
    this.element = h("div", { role: "treeitem", class: "tree-row", onclick: (event) => this.#click(event), oncontextmenu: (event) => this.#context(event) }, this.#twisty, this.#picture, this.#name, this.#note, more);
  }

  update(row) {
    this.#row = row;
    const { element } = this;
    const name = row.name === undefined ? shownName(row.uri) : shown(row.name);
    element.dataset.uri = row.uri;
    element.style.setProperty("--level", row.level);
    element.setAttribute("aria-level", row.level);
    if (row.expanded === undefined) element.removeAttribute("aria-expanded");
    else element.setAttribute("aria-expanded", String(row.expanded));
    element.setAttribute("aria-selected", String(row.open));
    element.tabIndex = row.current ? 0 : -1;
    element.classList.toggle("hidden-name", name.startsWith("."));
    this.#draw(row.kind === "directory" ? "files" : row.kind === "symlink" ? "link" : PICTURES.test(name) ? "image" : "file", row.kind);
    setText(this.#name, name);
    setText(this.#note, row.loading ? "…" : row.error ? errorText(row.error) : "");
    element.title = name;
    element.setAttribute("aria-label", name);
    this.more.setAttribute("aria-label", `What to do with ${name}`);
  }

  #draw(name, kind) {
    if (this.#icon === name) return;
    this.#icon = name;
    this.#picture.replaceChildren(icon(name));
    this.#twisty.replaceChildren(...(kind === "directory" ? [icon("chevron")] : []));
  }

  #click(event) {
    if (this.more.contains(event.target)) return;
    this.element.focus();
    this.#deeds.activate(this.#row);
  }

  #context(event) {
    event.preventDefault();
    // From the keyboard there is no place of the pointer.
    this.#menu(event.clientX || event.clientY ? { x: event.clientX, y: event.clientY } : this.element);
  }

  #menu(at) {
    this.#deeds.menu(this.#row, at, this.element);
  }
}

class MoreRow {
  #row;
  #button;

  constructor(tree) {
    this.#button = h("button", { type: "button", class: "link", onclick: () => tree.showMore(this.#row.uri) });
    this.element = h("div", { class: "tree-row", role: "none" }, this.#button);
  }

  update(row) {
    this.#row = row;
    this.element.style.setProperty("--level", row.level);
    setText(this.#button, `Show more (${row.more} left)`);
  }
}
