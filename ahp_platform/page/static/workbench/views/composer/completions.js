// What could be meant by `@part of a name` or `/comm`? A list above the message, asked of the host while one types.

import { h } from "../../dom.js";
import { newId } from "../../ids.js";
import { shown } from "../../files/uris.js";

const PAUSE_MS = 120;

export class Completions {
  #field;
  #ask;
  #onAccept;
  #items = [];
  #active = 0;
  #timer = 0;
  #latest = 0;
  element = h("ul", { class: "completions", role: "listbox", id: `completions-${newId()}`, "aria-label": "Suggestions", hidden: true });

  /** `ask(text, offset)` resolves with completion items; `triggers()`: the characters that begin one; `onAccept(item)`. */
  constructor(field, ask, triggers, onAccept) {
    this.#field = field;
    this.#ask = ask;
    this.#onAccept = onAccept;
    field.setAttribute("aria-controls", this.element.id);
    field.setAttribute("aria-autocomplete", "list");
    field.addEventListener("input", () => this.#soon(triggers()));
    field.addEventListener("blur", () => this.#close());
  }

  /** True where the key was for the list. */
  key(event) {
    if (this.element.hidden) return false;
    const keys = {
      ArrowDown: () => this.#move(1),
      ArrowUp: () => this.#move(-1),
      Enter: () => this.#accept(this.#items[this.#active]),
      Tab: () => this.#accept(this.#items[this.#active]),
      Escape: () => this.#close(),
    };
    if (!keys[event.key] || event.shiftKey) return false;
    event.preventDefault();
    keys[event.key]();
    return true;
  }

  #soon(triggers) {
    clearTimeout(this.#timer);
    const word = this.#field.value.slice(0, this.#field.selectionStart).match(/\S*$/)[0];
    if (!triggers.includes(word[0])) return this.#close();
    this.#timer = setTimeout(() => this.#look(), PAUSE_MS);
    return undefined;
  }

  async #look() {
    const mine = ++this.#latest;
    const items = await this.#ask(this.#field.value, this.#field.selectionStart).catch(() => []);
    if (mine !== this.#latest || document.activeElement !== this.#field) return;
    this.#items = items;
    this.#active = 0;
    this.#draw();
  }

  #draw() {
    const options = this.#items.map((item, at) => {
      const about = item.attachment?._meta?.description ?? "";
      const option = h("li", { role: "option", id: `${this.element.id}-${at}`, "aria-selected": String(at === this.#active) }, h("span", {}, shown(item.insertText.trim())), about ? h("small", {}, about) : null);
      // The field keeps the focus.
      option.addEventListener("pointerdown", (event) => {
        event.preventDefault();
        this.#accept(item);
      });
      return option;
    });
    this.element.replaceChildren(...options);
    this.element.hidden = options.length === 0;
    this.#mark();
  }

  #move(step) {
    this.#active = (this.#active + step + this.#items.length) % this.#items.length;
    this.#mark();
  }

  #mark() {
    [...this.element.children].forEach((option, at) => option.setAttribute("aria-selected", String(at === this.#active)));
    const active = this.element.children[this.#active];
    active?.scrollIntoView({ block: "nearest" });
    if (active) this.#field.setAttribute("aria-activedescendant", active.id);
    else this.#field.removeAttribute("aria-activedescendant");
  }

  #accept(item) {
    const { value, selectionStart } = this.#field;
    const start = item.rangeStart ?? selectionStart;
    const end = item.rangeEnd ?? start;
    const after = value.slice(end);
    const space = after.startsWith(" ") || item.insertText.endsWith(" ") ? "" : " ";
    this.#field.value = value.slice(0, start) + item.insertText + space + after;
    const cursor = start + item.insertText.length + 1;
    this.#field.setSelectionRange(cursor, cursor);
    this.#close();
    this.#onAccept(item);
  }

  #close() {
    clearTimeout(this.#timer);
    this.#latest += 1;
    this.#items = [];
    this.element.replaceChildren();
    this.element.hidden = true;
    this.#field.removeAttribute("aria-activedescendant");
  }
}
