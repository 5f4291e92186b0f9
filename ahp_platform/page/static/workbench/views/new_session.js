// How does one start a session? A dialog with the agent and its model, where it works, who may see it, whatever else the agent wants to
// know, and a first message.

import { ROOT } from "../channels/root.js";
import { h } from "../dom.js";
import { childUri, pathBelow, shown } from "../files/uris.js";
import { errorText } from "../words.js";
import { ConfigForm } from "./fields/config_form.js";
import { ModelPicker } from "./fields/model_picker.js";
import { Suggestions } from "./fields/suggestions.js";

export class NewSession {
  #app;
  #asked = 0;
  #agents = null;
  #provider = h("div", { class: "agents", role: "radiogroup", "aria-label": "Agent" });
  #model = new ModelPicker();
  #config;
  #directory = h("input", { type: "text", placeholder: "A new directory of its own", spellcheck: "false", autocapitalize: "none" });
  #message = h("textarea", { rows: 3, name: "message", placeholder: "What should the agent do?" });
  #problem = h("p", { class: "problem", role: "alert" });
  #start = h("button", { type: "submit", class: "primary" }, "Start session");

  constructor(app) {
    this.#app = app;
    this.#config = new ConfigForm((property, query) => this.#complete(property, query), () => this.#resolve());
    const suggested = new Suggestions(this.#directory, (query) => this.#directories(query));
    const cancel = h("button", { type: "button", onclick: () => this.dialog.close() }, "Cancel");
    const optional = () => h("span", { class: "optional" }, " (optional)");
    const form = h(
      "form",
      {},
      h("h2", { id: "new-session-title" }, "New session"),
      h("fieldset", { class: "plain" }, h("legend", {}, "Agent"), this.#provider),
      this.#model.element,
      h("label", { class: "field" }, h("span", {}, "Directory", optional()), this.#directory, suggested.element),
      this.#config.element,
      h("label", { class: "field" }, h("span", {}, "First message", optional()), this.#message),
      this.#problem,
      h("div", { class: "buttons end" }, cancel, this.#start),
    );
    this.dialog = h("dialog", { class: "wide", "aria-labelledby": "new-session-title" }, form);
    document.body.append(this.dialog);
    form.addEventListener("submit", (event) => this.#submit(event));
    this.#provider.addEventListener("change", () => this.#chosenAgent());
    this.#directory.addEventListener("change", () => this.#resolve());
    this.#message.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
    });
  }

  show() {
    this.#agents = null;
    this.#config.show({}, {});
    this.dialog.showModal();
    this.#message.focus();
    this.update();
  }

  /** Agents may come, go and tell what they can do while the dialog is open. */
  update() {
    const { agents } = this.#app.replicas.state(ROOT);
    if (!this.dialog.open || agents === this.#agents) return;
    this.#agents = agents;
    const before = this.#chosen;
    const first = agents.some(({ provider }) => provider === before) ? before : agents[0]?.provider;
    this.#problem.textContent = agents.length ? "" : "No agent is available here. Whoever runs this service can add one.";
    this.#start.disabled = agents.length === 0;
    this.#provider.replaceChildren(...agents.map((agent) => agentChoice(agent, agent.provider === first)));
    if (agents.length) this.#chosenAgent();
  }

  get #chosen() {
    return this.#provider.querySelector("input:checked")?.value;
  }

  get #workingDirectory() {
    const path = this.#directory.value.trim().replace(/^\/+|\/+$/g, "");
    const root = this.#app.replicas.defaultDirectory;
    return path && root ? path.split("/").reduce(childUri, root) : undefined;
  }

  #chosenAgent() {
    const agent = this.#app.replicas.state(ROOT).agents.find(({ provider }) => provider === this.#chosen);
    this.#model.show(agent?.models ?? [], this.#model.selection);
    this.#resolve();
  }

  /** What the host is asked about: who is meant, where, and what has been chosen so far. */
  get #context() {
    const workingDirectory = this.#workingDirectory;
    return { channel: ROOT, provider: this.#chosen, config: this.#config.values, ...(workingDirectory ? { workingDirectory } : {}) };
  }

  /** Ask the host which settings there are, with what has been chosen so far. */
  async #resolve() {
    const mine = ++this.#asked;
    try {
      const { schema, values } = await this.#app.wire.request("resolveSessionConfig", this.#context);
      if (mine !== this.#asked) return;
      const open = Object.entries(schema.properties).filter(([, property]) => !property.readOnly);
      this.#config.show(Object.fromEntries(open), values);
      this.#problem.textContent = "";
    } catch (error) {
      if (mine === this.#asked) this.#problem.textContent = errorText(error);
    }
  }

  async #complete(property, query) {
    const { items } = await this.#app.wire.request("sessionConfigCompletions", { ...this.#context, property, query });
    return items;
  }

  /** Directories of the workspace, one level at a time. */
  async #directories(query) {
    const root = this.#app.replicas.defaultDirectory;
    if (!root) return [];
    const above = query.replace(/^\/+/, "").split("/").slice(0, -1);
    const uri = above.reduce(childUri, root);
    const { entries } = await this.#app.wire.request("resourceList", { channel: ROOT, uri });
    const found = entries.filter(({ name, type }) => type === "directory" && !OWN.has([...above, name][0]) && !name.startsWith("."));
    return found.map(({ name }) => ({ value: [...above, name].join("/"), label: shown(pathBelow([root], childUri(uri, name))) }));
  }

  async #submit(event) {
    event.preventDefault();
    this.#start.disabled = true;
    this.#problem.textContent = "";
    try {
      const workingDirectory = this.#workingDirectory;
      const where = workingDirectory ? { workingDirectories: [workingDirectory] } : {};
      const said = { text: this.#message.value.trim(), model: this.#model.selection };
      await this.#app.startSession({ provider: this.#chosen, config: this.#config.values, ...where }, said);
      this.#message.value = this.#directory.value = "";
      this.dialog.close();
    } catch (error) {
      this.#problem.textContent = errorText(error);
    } finally {
      this.#start.disabled = false;
    }
  }
}

// The sessions' own directories lie there; each is its session's.
const OWN = new Set(["sessions", "worktrees"]);

function agentChoice({ provider, displayName, description }, checked) {
  const box = h("input", { type: "radio", name: "provider", value: provider, checked });
  return h("label", { class: "card" }, box, h("span", {}, displayName, description ? h("small", {}, description) : null));
}
