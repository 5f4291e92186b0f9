// Which values does the host suggest while one types? A list below a field, asked for when the typing pauses.

import { h } from "../../dom.js";
import { newId } from "../../ids.js";

const PAUSE_MS = 150;

/** `ask(query)` resolves with [{value, label, description?}]; the newest answer counts. */
export class Suggestions {
  #ask;
  #timer = 0;
  #latest = 0;
  items = [];
  element = h("datalist", { id: `suggestions-${newId()}` });

  constructor(field, ask) {
    this.#ask = ask;
    field.setAttribute("list", this.element.id);
    field.setAttribute("autocomplete", "off");
    field.addEventListener("focus", () => this.#soon(field.value));
    field.addEventListener("input", () => this.#soon(field.value));
  }

  async look(query) {
    const mine = ++this.#latest;
    const items = await this.#ask(query).catch(() => []);
    if (mine !== this.#latest) return this.items;
    this.items = items;
    this.element.replaceChildren(...items.map(({ value, label }) => h("option", { value, label: label === value ? null : label })));
    return items;
  }

  #soon(query) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.look(query.trim()), PAUSE_MS);
  }
}
