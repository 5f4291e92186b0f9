// How are several values chosen of many, as the members of a session: each a small mark that can be taken away again?

import { h, icon } from "../../dom.js";
import { Suggestions } from "./suggestions.js";

export class Chips {
  #values = [];
  #input = h("input", { type: "text", spellcheck: "false", autocapitalize: "none" });
  #list = h("ul", { class: "chips" });
  #problem = h("p", { class: "problem", role: "alert" });
  #suggestions;
  #onChange;

  /** `property`: its schema; `ask(query)`: suggestions; `onChange()`: the values are others now. */
  constructor(name, property, ask, onChange) {
    this.#onChange = onChange;
    this.#suggestions = new Suggestions(this.#input, ask);
    this.#input.placeholder = property.items?.title ?? "";
    const about = property.description ? h("small", {}, property.description) : null;
    const label = h("label", { class: "field" }, h("span", {}, property.title), about, this.#input, this.#suggestions.element);
    this.element = h("div", { class: "field", "data-name": name }, label, this.#list, this.#problem);
    this.#input.addEventListener("keydown", (event) => this.#key(event));
    this.#input.addEventListener("input", (event) => this.#typed(event));
    this.#input.addEventListener("change", () => this.#input.value.trim() && this.#add(this.#input.value.trim()));
  }

  get value() {
    return [...this.#values];
  }

  set value(values) {
    if (JSON.stringify(values) === JSON.stringify(this.#values)) return;
    this.#values = [...values];
    this.#draw();
  }

  #key(event) {
    if (event.key !== "Enter" && event.key !== ",") return;
    event.preventDefault();
    const text = this.#input.value.trim();
    if (text) this.#add(text);
  }

  /** Picked from the list, which browsers tell as an input without a kind, or as a replacement. */
  #typed({ inputType }) {
    this.#problem.textContent = "";
    const picked = !inputType || inputType === "insertReplacementText";
    if (picked && this.#suggestions.items.some(({ value }) => value === this.#input.value)) this.#add(this.#input.value);
  }

  async #add(text) {
    this.#input.value = "";
    if (this.#values.includes(text)) return;
    const items = await this.#suggestions.look(text);
    const found = items.find(({ value, label }) => value === text || label === text);
    if (!found) {
      this.#problem.textContent = `Nobody here is called ${text}.`;
      return;
    }
    this.#values.push(found.value);
    this.#draw();
    this.#onChange();
  }

  #remove(value) {
    this.#values = this.#values.filter((other) => other !== value);
    this.#draw();
    this.#input.focus();
    this.#onChange();
  }

  #draw() {
    const remove = (value) => h("button", { type: "button", class: "quiet round", "aria-label": `Remove ${value}`, onclick: () => this.#remove(value) }, icon("close"));
    this.#list.replaceChildren(...this.#values.map((value) => h("li", { class: "chip" }, value, remove(value))));
  }
}
