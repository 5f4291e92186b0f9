// Which plugins, directories and MCP servers customize the session, which of them are on, and how are the servers?

import { h, KeyedList, setText } from "../../dom.js";
import { shown } from "../../files/uris.js";
import { errorText } from "../../words.js";
import { signInForm } from "../sign_in.js";

const KINDS = { plugin: "Plugin", directory: "Directory", agent: "Agent", skill: "Skill", prompt: "Prompt", rule: "Rule", hook: "Hook", mcpServer: "MCP server" };
const LOADS = { loading: "Loading…", degraded: "Loaded in part", error: "Not loaded" };
const SERVERS = { starting: ["working", "Starting…"], ready: ["done", "Running"], stopped: ["idle", "Stopped"], error: ["failed", "Failed"], authRequired: ["waiting", "Needs a sign-in"] };

export class Customizations {
  #shown;
  #list = h("ul", { class: "setup-list customizations" });
  #empty = h("p", { class: "hint" }, "None. Skills, rules, prompts, agents and MCP servers in the session’s directories appear here.");
  #items;
  element = h("div", {}, this.#empty, this.#list);

  /** `dispatch(action)`: on the session. */
  constructor(app, dispatch) {
    this.#items = itemList(this.#list, app, dispatch);
  }

  update(customizations) {
    if (customizations === this.#shown) return;
    this.#shown = customizations;
    this.#empty.hidden = customizations.length > 0;
    this.#items.update(customizations.map((item) => ({ item, isOff: false })));
  }
}

function itemList(container, app, dispatch) {
  return new KeyedList(container, ({ item }) => item.id, ({ item }) => (item.type === "mcpServer" ? new ServerItem(app, dispatch) : new Item(app, dispatch)));
}

/** A plugin or directory with what is in it, or one of those. */
class Item {
  #dispatch;
  #item;
  #box;
  #name = h("span", { class: "custom-name" });
  #kind = h("span", { class: "custom-kind" });
  #about = h("p", { class: "hint custom-about" });
  #inside = h("ul", { class: "setup-list" });
  #children;

  constructor(app, dispatch) {
    this.#dispatch = dispatch;
    this.#box = h("input", { type: "checkbox", disabled: !app.canWrite, onchange: () => this.#toggle() });
    const head = h("label", { class: "custom-head" }, this.#box, this.#name, this.#kind);
    this.element = h("li", { class: "custom" }, head, this.#about, this.#inside);
    this.#children = itemList(this.#inside, app, dispatch);
  }

  update({ item, isOff }) {
    this.#item = item;
    const enabled = item.enabled ?? true;
    this.#box.checked = enabled;
    this.element.classList.toggle("off", isOff || !enabled);
    setText(this.#name, shown(item.name));
    setText(this.#kind, KINDS[item.type] ?? item.type);
    const load = LOADS[item.load?.kind];
    const about = [load, item.load?.message, item.description, item.clientId ? "From a connected client" : undefined].filter(Boolean).join(" · ");
    setText(this.#about, about);
    this.#about.hidden = about === "";
    this.#about.classList.toggle("failed", item.load?.kind === "error");
    this.#children.update((item.children ?? []).map((child) => ({ item: child, isOff: isOff || !enabled })));
    this.#inside.hidden = !item.children?.length;
  }

  #toggle() {
    this.#dispatch({ type: "session/customizationToggled", id: this.#item.id, enabled: this.#box.checked });
  }
}

class ServerItem {
  #app;
  #dispatch;
  #item;
  #box;
  #name = h("span", { class: "custom-name" });
  #state = h("span", { class: "server-state" });
  #problem = h("p", { class: "problem" });
  #start = h("button", { type: "button", class: "small" }, "Start");
  #stop = h("button", { type: "button", class: "small" }, "Stop");
  #signIn = h("div", {});
  #signInFor = "null";

  constructor(app, dispatch) {
    this.#app = app;
    this.#dispatch = dispatch;
    this.#box = h("input", { type: "checkbox", disabled: !app.canWrite, onchange: () => dispatch({ type: "session/customizationToggled", id: this.#item.id, enabled: this.#box.checked }) });
    this.#start.addEventListener("click", () => dispatch({ type: "session/mcpServerStartRequested", id: this.#item.id }));
    this.#stop.addEventListener("click", () => dispatch({ type: "session/mcpServerStopRequested", id: this.#item.id }));
    const head = h("div", { class: "custom-head" }, h("label", { class: "custom-label" }, this.#box, this.#name, h("span", { class: "custom-kind" }, KINDS.mcpServer)), this.#state, this.#start, this.#stop);
    this.element = h("li", { class: "custom server" }, head, this.#problem, this.#signIn);
  }

  update({ item, isOff }) {
    this.#item = item;
    const { kind } = item.state;
    const [look, text] = SERVERS[kind] ?? ["idle", kind];
    const usable = this.#app.canWrite && item.enabled && !isOff;
    this.#box.checked = item.enabled;
    this.element.classList.toggle("off", isOff || !item.enabled);
    setText(this.#name, shown(item.name));
    this.#state.dataset.state = look;
    setText(this.#state, text);
    setText(this.#problem, kind === "error" ? item.state.error.message : "");
    this.#start.hidden = !usable || ["ready", "starting"].includes(kind);
    this.#stop.hidden = !usable || !["ready", "starting", "authRequired"].includes(kind);
    this.#ask(usable && kind === "authRequired" ? item.state : null);
  }

  #ask(state) {
    const key = JSON.stringify(state);
    if (key === this.#signInFor) return;
    this.#signInFor = key;
    const request = (method, params) => this.#app.wire.request(method, params).catch((error) => Promise.reject(error.code ? error : new Error(errorText(error))));
    const form = state && signInForm(state.resource, { scopes: state.requiredScopes, description: state.description }, request);
    this.#signIn.replaceChildren(...(form ? [form] : []));
  }
}
