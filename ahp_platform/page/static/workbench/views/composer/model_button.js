// Which model answers the next message? A button that says so, and a small panel to choose another.

import { h, setText } from "../../dom.js";
import { ModelPicker } from "../fields/model_picker.js";

export class ModelButton {
  #picker;
  #models = [];
  #label = h("span", {});
  #panel;

  /** `onChange(selection)`: another one was chosen. */
  constructor(onChange) {
    this.#picker = new ModelPicker(() => {
      this.#show();
      onChange(this.#picker.selection);
    });
    const button = h("summary", { class: "round model-button", title: "Model" }, this.#label);
    this.#panel = h("div", { class: "menu-items model-panel" }, this.#picker.element);
    this.element = h("details", { class: "menu", hidden: true }, button, this.#panel);
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.element.open) return;
      event.stopPropagation();
      this.element.open = false;
      button.focus();
    });
    this.element.addEventListener("focusout", ({ relatedTarget }) => {
      if (relatedTarget && !this.element.contains(relatedTarget)) this.element.open = false;
    });
  }

  get selection() {
    return this.#models.length ? this.#picker.selection : undefined;
  }

  update(models, selection) {
    if (models === this.#models) return;
    this.#models = models;
    this.element.hidden = models.length === 0;
    this.#picker.show(models, selection);
    this.#show();
  }

  #show() {
    const { selection } = this.#picker;
    const model = this.#models.find(({ id }) => id === selection?.id);
    const settings = Object.values(selection?.config ?? {});
    setText(this.#label, model ? [model.name || model.id, ...settings].join(" · ") : "Model");
  }
}
