// How is a configuration filled in whose properties the host describes: of a session, of a model?

import { h, icon } from "../../dom.js";
import { Chips } from "./chips.js";
import { Suggestions } from "./suggestions.js";

const MOST_CARDS = 3;
const PICTURES = { private: "lock", tenant: "team" };

/** `ask(property, query)`: suggestions for a property with dynamic values; `onChange(name)`: the person has changed it. */
export class ConfigForm {
  #ask;
  #onChange;
  #fields = new Map();
  #shownFor = null;
  element = h("div", { class: "config" });

  constructor(ask, onChange) {
    this.#ask = ask;
    this.#onChange = onChange;
  }

  /** Fields are kept where their description is the same, so that nobody is interrupted. */
  show(properties, values) {
    const key = JSON.stringify(properties);
    if (key !== this.#shownFor) {
      this.#shownFor = key;
      const before = this.#fields;
      this.#fields = new Map();
      for (const [name, property] of Object.entries(properties)) this.#keep(name, property, before.get(name));
      const wanted = [...this.#fields.values()].map(({ element }) => element);
      const same = wanted.length === this.element.children.length && wanted.every((element, at) => element === this.element.children[at]);
      if (!same) this.element.replaceChildren(...wanted);
    }
    for (const [name, field] of this.#fields) if (values[name] !== undefined) field.write(values[name]);
    this.#depend();
  }

  /** What is filled in; what is empty is left out. */
  get values() {
    const read = [...this.#fields].map(([name, field]) => [name, field.element.hidden ? undefined : field.read()]);
    return Object.fromEntries(read.filter(([, value]) => value !== undefined));
  }

  #keep(name, property, before) {
    const about = JSON.stringify(property);
    if (before?.about === about) return this.#fields.set(name, before);
    const field = this.#field(name, property);
    return field && this.#fields.set(name, { ...field, about });
  }

  /** Members only matter where not everybody may look. */
  #depend() {
    const members = this.#fields.get("members");
    if (members) members.element.hidden = this.#fields.get("visibility")?.read() === "tenant";
  }

  #changed(name) {
    this.#depend();
    this.#onChange?.(name);
  }

  #field(name, property) {
    if (property.type === "array" && property.items?.type === "string") return this.#chips(name, property);
    if (property.enum && !property.enumDynamic) return property.enum.length > MOST_CARDS ? this.#select(name, property) : this.#cards(name, property);
    if (property.type === "boolean") return this.#checkbox(name, property);
    if (property.type === "string" || property.type === "number") return this.#text(name, property);
    return null;
  }

  #chips(name, property) {
    const chips = new Chips(name, property, (query) => this.#ask(name, query), () => this.#changed(name));
    return { element: chips.element, read: () => chips.value, write: (values) => (chips.value = values) };
  }

  #text(name, property) {
    const field = h("input", { type: property.type === "number" ? "number" : "text", step: "any", name });
    const suggested = property.enumDynamic ? new Suggestions(field, (query) => this.#ask(name, query)).element : null;
    field.addEventListener("change", () => this.#changed(name));
    const read = () => (field.value === "" ? undefined : property.type === "number" ? field.valueAsNumber : field.value);
    const write = (value) => field !== document.activeElement && (field.value = value);
    return { element: h("label", { class: "field" }, titled(property), field, suggested), read, write };
  }

  #checkbox(name, property) {
    const box = h("input", { type: "checkbox", name, onchange: () => this.#changed(name) });
    const text = h("span", {}, property.title, property.description ? h("small", {}, property.description) : null);
    return { element: h("label", { class: "choice" }, box, text), read: () => box.checked, write: (value) => (box.checked = value) };
  }

  #select(name, property) {
    const options = property.enum.map((item, at) => h("option", { value: String(at), title: property.enumDescriptions?.[at] }, labelOf(property, at)));
    const select = h("select", { name, onchange: () => this.#changed(name) }, options);
    const write = (value) => (select.value = String(property.enum.indexOf(value)));
    return { element: h("label", { class: "field" }, titled(property), select), read: () => property.enum[Number(select.value)], write };
  }

  #cards(name, property) {
    const boxes = property.enum.map(() => h("input", { type: "radio", name, onchange: () => this.#changed(name) }));
    const cards = property.enum.map((item, at) => {
      const about = property.enumDescriptions?.[at];
      const picture = PICTURES[item] ? icon(PICTURES[item]) : null;
      return h("label", { class: "card" }, boxes[at], picture, h("span", {}, labelOf(property, at), about ? h("small", {}, about) : null));
    });
    const element = h("fieldset", { class: "plain" }, h("legend", {}, property.title), h("div", { class: "cards" }, cards));
    const write = (value) => boxes.forEach((box, at) => (box.checked = property.enum[at] === value));
    return { element, read: () => property.enum[boxes.findIndex((box) => box.checked)], write };
  }
}

function labelOf(property, at) {
  return property.enumLabels?.[at] ?? String(property.enum[at]);
}

function titled({ title, description }) {
  return h("span", {}, title, description ? h("small", {}, description) : null);
}
