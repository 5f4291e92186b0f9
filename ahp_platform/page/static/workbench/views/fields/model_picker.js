// Which model of the agent is to answer, and how is it set? A small choice with the model's own options.

import { h } from "../../dom.js";
import { ConfigForm } from "./config_form.js";

const AGENTS_OWN = "";

export class ModelPicker {
  #models = [];
  #onChange;
  #select = h("select", { "aria-label": "Model" });
  #form;

  constructor(onChange) {
    this.#onChange = onChange;
    this.#form = new ConfigForm(() => Promise.resolve([]), () => onChange?.());
    this.#select.addEventListener("change", () => this.#chosen());
    this.select = this.#select;
    this.options = this.#form.element;
    this.element = h("div", { class: "model-picker" }, h("label", { class: "field" }, h("span", {}, "Model"), this.#select), this.options);
  }

  /** `selection`: a ModelSelection or undefined, for the agent's own choice. */
  show(models, selection) {
    const key = JSON.stringify(models);
    if (key !== this.shownFor) {
      this.shownFor = key;
      this.#models = models;
      const options = models.map(({ id, name }) => h("option", { value: id }, name || id));
      this.#select.replaceChildren(h("option", { value: AGENTS_OWN }, "The agent’s own choice"), ...options);
    }
    this.element.hidden = models.length === 0;
    const known = models.some(({ id }) => id === selection?.id);
    this.#select.value = known ? selection.id : AGENTS_OWN;
    this.#showOptions(selection?.config ?? {});
  }

  /** @returns {object | undefined} a ModelSelection */
  get selection() {
    if (this.#select.value === AGENTS_OWN) return undefined;
    const config = this.#form.values;
    return { id: this.#select.value, ...(Object.keys(config).length ? { config } : {}) };
  }

  #chosen() {
    this.#showOptions({});
    this.#onChange?.();
  }

  #showOptions(config) {
    const properties = this.#models.find(({ id }) => id === this.#select.value)?.configSchema?.properties ?? {};
    const defaults = Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, property.default]));
    this.#form.show(properties, { ...defaults, ...config });
    this.options.hidden = Object.keys(properties).length === 0;
  }
}
