// How is the list of sessions shown?

import { agentNamed, ROOT } from "../channels/root.js";
import { activityOf, ACTIVITY_TEXT } from "../channels/status.js";
import { h, KeyedList, setText } from "../dom.js";
import { linkTo } from "../route.js";
import { ago, titleOf } from "../words.js";

const REFRESH_TIMES_MS = 30_000;

export class SessionList {
  #app;
  #list;
  #empty = h("p", { class: "empty" }, "No sessions yet.");
  #more = h("button", { type: "button", class: "quiet", hidden: true, onclick: () => this.#app.loadMoreSessions() }, "Show more");

  constructor(app, container) {
    this.#app = app;
    const items = h("ul", { class: "sessions" });
    container.replaceChildren(items, this.#empty, this.#more);
    this.#list = new KeyedList(items, ({ session }) => session.resource, ({ session }) => new Entry(app, session));
    setInterval(() => this.update(), REFRESH_TIMES_MS);
  }

  update() {
    const { sessions, openUri } = this.#app;
    const agents = this.#app.replicas.state(ROOT);
    this.#list.update(sessions.items.map((session) => ({ session, open: session.resource === openUri, agents })));
    this.#empty.hidden = !sessions.loaded || sessions.items.length > 0;
    this.#more.hidden = !sessions.hasMore;
  }
}

class Entry {
  #dot = h("span", { class: "dot" });
  #title = h("span", { class: "session-title" });
  #about = h("span", { class: "session-about" });
  #state = h("span", { class: "visually-hidden" });

  constructor(app, { resource }) {
    const text = h("span", { class: "session-text" }, this.#title, this.#about, this.#state);
    this.link = h("a", { href: linkTo(app.tenant.slug, resource) }, this.#dot, text);
    this.element = h("li", {}, this.link);
  }

  update({ session, open, agents }) {
    const activity = activityOf(session.status);
    const agent = agentNamed(agents, session.provider)?.displayName ?? session.provider;
    this.#dot.dataset.activity = activity;
    setText(this.#title, titleOf(session));
    setText(this.#about, [session.activity ?? doing(activity) ?? agent, ago(session.modifiedAt)].join(" · "));
    setText(this.#state, `, ${ACTIVITY_TEXT[activity]}`);
    if (open) this.link.setAttribute("aria-current", "page");
    else this.link.removeAttribute("aria-current");
  }
}

function doing(activity) {
  return activity === "idle" ? undefined : ACTIVITY_TEXT[activity];
}
