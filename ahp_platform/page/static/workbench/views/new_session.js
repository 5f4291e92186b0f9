// How does one start a session? A dialog with the agent, who may see it, whatever else the agent wants to know, and a first message.

import { ROOT } from "../channels/root.js";
import { h, icon } from "../dom.js";
import { errorText } from "../words.js";

export class NewSession {
  #app;
  #fields = new Map();
  #provider = h("div", { class: "agents", role: "radiogroup", "aria-label": "Agent" });
  #config = h("div", { class: "config" });
  #message = h("textarea", { rows: 3, name: "message", placeholder: "What should the agent do?" });
  #problem = h("p", { class: "problem", role: "alert" });
  #start = h("button", { type: "submit", class: "primary" }, "Start session");

  constructor(app) {
    this.#app = app;
    const cancel = h("button", { type: "button", onclick: () => this.dialog.close() }, "Cancel");
    const form = h(
      "form",
      {},
      h("h2", { id: "new-session-title" }, "New session"),
      h("fieldset", { class: "plain" }, h("legend", {}, "Agent"), this.#provider),
      this.#config,
      h("label", { class: "field" }, h("span", {}, "First message", h("span", { class: "optional" }, " (optional)")), this.#message),
      this.#problem,
      h("div", { class: "buttons end" }, cancel, this.#start),
    );
    this.dialog = h("dialog", { class: "wide", "aria-labelledby": "new-session-title" }, form);
    document.body.append(this.dialog);
    form.addEventListener("submit", (event) => this.#submit(event));
    this.#provider.addEventListener("change", () => this.#resolve());
    this.#message.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
    });
  }

  show() {
    const { agents } = this.#app.replicas.state(ROOT);
    this.#problem.textContent = agents.length ? "" : "No agent is available here.";
    this.#start.disabled = agents.length === 0;
    this.#provider.replaceChildren(...agents.map((agent, index) => agentChoice(agent, index === 0)));
    this.#config.replaceChildren();
    this.#fields.clear();
    this.dialog.showModal();
    this.#message.focus();
    if (agents.length) this.#resolve();
  }

  get #chosen() {
    return this.#provider.querySelector("input:checked")?.value;
  }

  get #values() {
    return Object.fromEntries([...this.#fields].map(([name, read]) => [name, read()]).filter(([, value]) => value !== undefined));
  }

  /** Ask the host which settings this agent has, with what has been chosen so far. */
  async #resolve() {
    const provider = this.#chosen;
    try {
      const { schema, values } = await this.#app.wire.request("resolveSessionConfig", { channel: ROOT, provider, config: this.#values });
      if (provider !== this.#chosen) return;
      this.#fields.clear();
      const shown = Object.entries(schema.properties).filter(([, property]) => !property.readOnly);
      this.#config.replaceChildren(...shown.map(([name, property]) => this.#field(name, property, values[name])).filter(Boolean));
    } catch (error) {
      this.#problem.textContent = errorText(error);
    }
  }

  #field(name, property, value) {
    if (property.enum) return this.#choices(name, property, value);
    if (property.type === "boolean") return this.#checkbox(name, property, value);
    if (property.type !== "string") return null;
    const field = h("input", { type: "text", name, value: value ?? "" });
    this.#fields.set(name, () => field.value || undefined);
    return h("label", { class: "field" }, h("span", {}, property.title), field);
  }

  #checkbox(name, property, value) {
    const box = h("input", { type: "checkbox", name, checked: value === true });
    this.#fields.set(name, () => box.checked);
    return h("label", { class: "choice" }, box, h("span", {}, property.title));
  }

  #choices(name, property, value) {
    const choices = property.enum.map((item, index) => {
      const box = h("input", { type: "radio", name, value: item, checked: item === value });
      const about = property.enumDescriptions?.[index];
      const text = h("span", {}, property.enumLabels?.[index] ?? String(item), about ? h("small", {}, about) : null);
      return { box, item, element: h("label", { class: "card" }, box, mark(item), text) };
    });
    this.#fields.set(name, () => choices.find(({ box }) => box.checked)?.item);
    return h("fieldset", { class: "plain" }, h("legend", {}, property.title), h("div", { class: "cards" }, choices.map(({ element }) => element)));
  }

  async #submit(event) {
    event.preventDefault();
    this.#start.disabled = true;
    this.#problem.textContent = "";
    try {
      await this.#app.startSession({ provider: this.#chosen, config: this.#values, text: this.#message.value.trim() });
      this.#message.value = "";
      this.dialog.close();
    } catch (error) {
      this.#problem.textContent = errorText(error);
    } finally {
      this.#start.disabled = false;
    }
  }
}

function mark(item) {
  return { private: () => icon("lock"), tenant: () => icon("team") }[item]?.() ?? null;
}

function agentChoice({ provider, displayName, description }, checked) {
  const box = h("input", { type: "radio", name: "provider", value: provider, checked });
  return h("label", { class: "card" }, box, h("span", {}, displayName, description ? h("small", {}, description) : null));
}
