// How is the session set up: who sees it, what its agent can be told to do differently, what customizes it, which servers it uses?

import { agentNamed, ROOT } from "../../channels/root.js";
import { h } from "../../dom.js";
import { ConfigForm } from "../fields/config_form.js";
import { signInForm } from "../sign_in.js";
import { Customizations } from "./customizations.js";
import { Directories } from "./directories.js";

const SHARING = ["visibility", "members"];

export class Panel {
  #app;
  #session;
  #state;
  #sharing;
  #agent;
  #customizations;
  #directories;
  #about = h("p", { class: "setup-about" });
  #signIn = h("div", { class: "setup-sign-in" });
  #signInFor;
  #noOptions = h("p", { class: "hint" }, "This agent has no settings that can be changed while it works.");

  constructor(app, session) {
    this.#app = app;
    this.#session = session;
    const form = () => new ConfigForm((property, query) => this.#complete(property, query), (name) => this.#changed(name));
    this.#sharing = form();
    this.#agent = form();
    this.#customizations = new Customizations(app, (action) => app.replicas.dispatch(session, action));
    this.#directories = new Directories(app);
    const part = (title, ...content) => h("section", { class: "setup-part" }, h("h3", {}, title), content);
    this.element = h(
      "div",
      { class: "dock-panel setup" },
      h("div", { class: "dock-head" }, h("h2", {}, "Setup")),
      h(
        "div",
        { class: "setup-parts" },
        part("Sharing", this.#sharing.element),
        part("Agent", this.#about, this.#signIn, this.#agent.element, this.#noOptions),
        part("Directories", this.#directories.element),
        part("Customizations", this.#customizations.element),
      ),
    );
  }

  update(state) {
    if (state === this.#state) return;
    this.#state = state;
    const { schema = { properties: {} }, values = {} } = state.config ?? {};
    const changeable = Object.entries(schema.properties).filter(([, property]) => property.sessionMutable && !property.readOnly);
    const [sharing, own] = [changeable.filter(([name]) => SHARING.includes(name)), changeable.filter(([name]) => !SHARING.includes(name))];
    this.#sharing.show(Object.fromEntries(sharing), values);
    this.#agent.show(Object.fromEntries(own), values);
    this.#noOptions.hidden = own.length > 0;
    this.#showAgent(state.provider);
    this.#directories.update(state.workingDirectories ?? []);
    this.#customizations.update(state.customizations ?? []);
    for (const form of [this.#sharing, this.#agent]) form.element.inert = !this.#app.canWrite;
  }

  shown() {}

  close() {}

  #showAgent(provider) {
    const agent = agentNamed(this.#app.replicas.state(ROOT), provider);
    this.#about.replaceChildren(h("strong", {}, agent?.displayName ?? provider), agent?.description ? ` ${agent.description}` : "");
    const wanted = this.#app.canWrite ? (agent?.protectedResources ?? []) : [];
    const key = JSON.stringify(wanted);
    if (key === this.#signInFor) return;
    this.#signInFor = key;
    const request = (method, params) => this.#app.wire.request(method, params);
    const folded = (resource) => {
      const details = h("details", { class: "setup-folded" }, h("summary", {}, `Sign in to ${resource.resource_name || resource.resource}`));
      details.append(signInForm(resource, {}, request, () => this.#app.announce("Signed in.") || (details.open = false)));
      return details;
    };
    this.#signIn.replaceChildren(...wanted.map(folded));
  }

  async #complete(property, query) {
    const params = { channel: ROOT, provider: this.#state.provider, config: this.#state.config.values, property, query };
    const { items } = await this.#app.wire.request("sessionConfigCompletions", params);
    return items;
  }

  #changed(name) {
    const form = SHARING.includes(name) ? this.#sharing : this.#agent;
    const value = form.values[name];
    if (value === undefined || JSON.stringify(value) === JSON.stringify(this.#state.config.values[name])) return;
    this.#app.replicas.dispatch(this.#session, { type: "session/configChanged", config: { [name]: value } });
  }
}
